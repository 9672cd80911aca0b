import type { Emit } from '../events/emit.ts';
import type { Layout } from '../state/layout.ts';
import type { Clock } from '../util/clock.ts';
import type { TreeState } from './tree.ts';

export interface DirtyOptions {
  action: 'stash' | 'ignore' | 'auto_commit';
  roundNum: number;
  phase: string | null;
  /** The look that found the dirt. */
  tree: TreeState;
  /** Paths (byte strings of `tree.entries`) that were dirty before any agent ran: somebody's work, left alone. */
  preexisting: ReadonlySet<string>;
  /** A stash of the same round younger than this is used again, seconds. */
  idempotencyS: number;
  /** Whether hooks and filters of the repository are still those that `serve` found: only then a commit runs them. */
  hooksTrusted: boolean;
  paths: Pick<Layout, 'orphanState'>;
  emit: Emit;
  clock: Clock;
}

export interface DirtyResult {
  kind: 'clean' | 'stashed' | 'committed' | 'ignored' | 'unstashable' | 'failed';
  /** Full SHA of the stash or commit. */
  ref: string | null;
  /** The paths it took up, or that were left. */
  files: string[];
}
