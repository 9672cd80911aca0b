import { writeJson } from '../state/atomic.ts';
import type { Layout } from '../state/layout.ts';
import { lookAtJson } from '../state/look.ts';
import type { StatusState } from '../state/serve-state.ts';
import { isoTime } from '../util/clock.ts';

/** What the agent is told of its round and of the one before: `round-context.json`, and the block in front of its prompt. */
export interface RoundContext {
  round_num: number;
  started_at: string;
  phase?: string;
  orphan_stash?: { ref: string; message: string; files: string[] };
  previous?: { exit_code: number | null; duration_s: number; ended_at: string; had_dirty_tree: boolean; outcome?: string };
  /** What the user's pre_round hooks say. */
  hooks?: Record<string, unknown>;
}

export function roundContext(
  paths: Layout,
  roundNum: number,
  startedAt: number,
  phase: string | null,
  status: StatusState | null,
): RoundContext {
  const context: RoundContext = { round_num: roundNum, started_at: isoTime(startedAt) };
  if (phase !== null) context.phase = phase;
  const orphan = readOrphan(paths);
  if (orphan) context.orphan_stash = orphan;
  if (status?.last_completed_at !== undefined && status.last_duration_s !== undefined) {
    context.previous = {
      exit_code: status.last_exit_code ?? null,
      duration_s: status.last_duration_s,
      ended_at: status.last_completed_at,
      had_dirty_tree: status.last_dirty ?? false,
      ...(status.last_outcome === undefined ? {} : { outcome: status.last_outcome }),
    };
  }
  return context;
}

function readOrphan(paths: Layout): NonNullable<RoundContext['orphan_stash']> | null {
  const read = lookAtJson(paths.orphanState);
  if (read.kind !== 'ok') return null;
  const { stashed_ref: ref, stash_message: message, files } = (read.value ?? {}) as Record<string, unknown>;
  if (typeof ref !== 'string' || typeof message !== 'string' || !Array.isArray(files)) return null;
  return { ref, message, files: files.map(String) };
}

export function contextJson(context: RoundContext): string {
  return JSON.stringify(context, null, 2);
}

export function writeRoundContext(paths: Layout, context: RoundContext): void {
  writeJson(paths.roundContext, context, { durable: false });
}
