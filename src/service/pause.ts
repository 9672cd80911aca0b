import type { Emit } from '../events/emit.ts';
import { writeJson } from '../state/atomic.ts';
import type { Layout } from '../state/layout.ts';
import { type PauseState, readPause } from '../state/serve-state.ts';
import { isoTime } from '../util/clock.ts';
import { seconds } from '../util/duration.ts';
import { prepareState, removeStateFile } from './state-files.ts';

/** Asks for no further round until `until` (epoch ms, null = until `resume`). A pause that is there keeps its beginning. serve sees the file change at once. */
export function pause(paths: Layout, until: number | null, now: number, emit: Emit): PauseState {
  prepareState(paths);
  const before = readPause(paths);
  const state: PauseState = { until: until === null ? null : isoTime(until), since: before?.since || isoTime(now) };
  writeJson(paths.pause, state);
  emit('pause_started', { until: state.until });
  return state;
}

/** Ends the pause; null when there was none. */
export function resume(paths: Layout, now: number, emit: Emit): PauseState | null {
  const before = readPause(paths);
  // Also a file that nobody can read is a pause that somebody wants to end.
  if (!removeStateFile(paths.pause)) return null;
  const since = Date.parse(before?.since ?? '');
  emit('pause_ended', { paused_for_s: Number.isNaN(since) ? 0 : seconds(Math.max(0, now - since)) });
  return before ?? { until: null, since: '' };
}
