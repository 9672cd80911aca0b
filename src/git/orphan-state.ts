import { unlinkSync } from 'node:fs';
import { writeJson } from '../state/atomic.ts';

/** `orphan-state.json`: the stash that the next round's context tells of. */
export interface OrphanState {
  round_num: number;
  phase: string | null;
  files: string[];
  /** Full commit SHA. */
  stashed_ref: string;
  stash_message: string;
  /** When the stash was made, UTC. */
  timestamp: string;
}

/** So many names go into the file, and with it into the next prompt. */
const MAX_FILES = 100;

/** Throws AR-STA-001 when the disk refuses; the stash itself exists then, and its event tells of it. */
export function writeOrphanState(path: string, state: OrphanState): void {
  writeJson(path, { ...state, files: state.files.slice(0, MAX_FILES) });
}

/** The tree is clean again: there is nothing left to tell of. */
export function removeOrphanState(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Mostly it is not there; where it cannot be removed the next round tells of a stash that is still real.
  }
}
