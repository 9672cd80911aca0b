import type { TurnVerdict } from '../agents/adapter.ts';
import type { LoadedConfig } from '../config/load.ts';
import type { Emit } from '../events/emit.ts';
import type { Repo } from '../git/repo.ts';
import type { HookWorld } from '../hooks/world.ts';
import type { DiskBook } from '../host/disk/book.ts';
import type { RoundLeaves } from '../process/cgroup-leaf.ts';
import type { NamedProcess } from '../run/types.ts';
import type { Layout } from '../state/layout.ts';
import type { Clock } from '../util/clock.ts';
import type { Redact } from '../util/redact.ts';
import type { RoundBody } from './body.ts';
import type { OrphanSweep } from './leftovers.ts';
import type { Outcome } from './outcome.ts';

interface GitTrust {
  fingerprint: string;
  /** A change was told; told once. */
  tampered: boolean;
}

/** What every round of one supervisor has in common. */
export interface RoundWorld {
  body: RoundBody;
  repo: Repo;
  paths: Layout;
  emit: Emit;
  clock: Clock;
  env: NodeJS.ProcessEnv;
  /** Where rounds get control groups of their own; null where they go without. */
  leaves: RoundLeaves | null;
  /** What git would execute in work_dir, as it was before any agent ran. */
  gitTrust: GitTrust;
  /** Paths that were made dirty while no agent ran, until they are clean once: somebody's work. */
  preexisting: Set<string>;
  /** Paths that the round before left dirty; null when that is not known, as before the first round of this supervisor. */
  leftDirty: ReadonlySet<string> | null;
  orphans: OrphanSweep;
  /** Whether the machine had a way out and has none now; absent: nobody watches. */
  isOffline?: () => boolean;
  /** Which disks are low, and were told. */
  disks: DiskBook;
  /** The user's own programs; without it none are run. */
  hooks?: HookWorld;
  /** For what hooks are told. */
  hide?: Redact;
}

export interface RoundRequest {
  loaded: LoadedConfig;
  /** The phase that was chosen, by `--phase` or by the plan of the turn, without moving the rotation; absent: the one in turn. */
  phase?: string;
  /** Which agent of the phase runs: 0 (or absent) its own, n the n-th of `agent.fallback`. */
  fallback?: number;
  /** Aborting ends the round by the reap ladder. */
  stop: AbortSignal;
  /** Aborted when no further agent should be started; a round whose agent runs is let finish. */
  drain?: AbortSignal;
}

export interface RoundResult {
  outcome: Outcome;
  /** Null when the round was refused before it got a number. */
  roundNum: number | null;
  phase: string | null;
  durationMs: number;
  moved: boolean;
  turn: TurnVerdict | null;
  identity: string;
  /** Scope of its throttles. */
  account: string;
  /** 0: the phase's own agent ran; n: its n-th fallback. */
  fallback: number;
  logPath: string | null;
  /** HEAD after the agent; null when unborn or unknown. */
  head: string | null;
  /** The end of the agent's output, for a breaker's event. */
  tail: string;
  /** Processes, and a container, that outlived every attempt to end them. */
  survivors: NamedProcess[];
  /** Why a round was refused or failed before its agent ran, one line each. */
  problems: string[];
}
