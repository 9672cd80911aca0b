import type { ToolCall } from './adapter.ts';

export interface Repetition {
  tool: string;
  target: string | null;
  count: number;
  window: number;
}

/** Told so often in one turn: an agent that turns in circles would fill the events otherwise. */
const MOST_TOLD = 5;

/**
 * Watches for the same tool call again and again: `push` returns the calls that now make `threshold` of the last `window`, each told
 * once in a turn. With either of the two at 0 it never speaks.
 */
export function createRepetitionWatch(window: number, threshold: number) {
  const armed = window > 0 && threshold > 0;
  const ring: string[] = [];
  const counts = new Map<string, number>();
  const told = new Set<string>();
  let next = 0;

  return {
    push({ tool, target }: ToolCall): Repetition | null {
      if (!armed) return null;
      const key = `${tool}\0${target ?? ''}`;
      const gone = ring[next];
      if (gone !== undefined) {
        const left = (counts.get(gone) ?? 1) - 1;
        if (left === 0) counts.delete(gone);
        else counts.set(gone, left);
      }
      ring[next] = key;
      next = (next + 1) % window;
      const count = (counts.get(key) ?? 0) + 1;
      counts.set(key, count);
      if (count < threshold || told.has(key) || told.size >= MOST_TOLD) return null;
      told.add(key);
      return { tool, target, count, window };
    },
  };
}
