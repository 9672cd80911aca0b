import { type Clock, systemClock } from '../util/clock.ts';
import { RunnerError } from '../util/errors.ts';
import type { LocalConfig } from './config-values.ts';
import { type Location, locate, locationAt } from './locate.ts';
import type { Bytes } from './names.ts';

/** Bounds of git calls, milliseconds. Those of the Python predecessor: pre-commit hooks of real projects take more than 10 s. */
interface Timeouts {
  default: number;
  head: number;
  stash: number;
  commit: number;
}

const TIMEOUTS: Timeouts = { default: 10_000, head: 5_000, stash: 30_000, commit: 120_000 };

/** A work tree and what is remembered of it between two looks. Every function of this room takes one. */
export interface Repo {
  readonly workDir: string;
  /** Our own files: never stashed, committed or counted as dirt, also when they lie inside the work tree. */
  readonly logDir: string;
  readonly clock: Clock;
  readonly env: NodeJS.ProcessEnv;
  readonly timeouts: Timeouts;
  readonly memory: Memory;
}

interface Memory {
  /** `git --version` was good enough; asked once. */
  versionChecked: boolean;
  location: Location | null;
  localConfig: LocalConfig | null;
  gitlinks: { stamp: string; paths: Bytes[] } | null;
  /** Submodules and nested repositories that were looked into, by path. */
  nested: Map<Bytes, Repo>;
  depth: number;
  /** What `dirty_unstashable` told last, by reason: each set of paths is told once. */
  told: Map<string, string>;
  /** Files that were dirty again right after a stash (line endings, a file system that ignores case), with their state then. */
  stillDirty: Map<Bytes, string>;
}

export interface RepoOptions {
  logDir: string;
  clock?: Clock;
  /** Where git's environment comes from; defaults to this process's own. */
  env?: NodeJS.ProcessEnv;
  timeouts?: Partial<Timeouts>;
}

/** Starts nothing and reads nothing: a directory that is no repository shows itself at the first `treeState`. */
export function openRepo(workDir: string, options: RepoOptions): Repo {
  return {
    workDir,
    logDir: options.logDir,
    clock: options.clock ?? systemClock,
    env: options.env ?? process.env,
    timeouts: { ...TIMEOUTS, ...options.timeouts },
    memory: emptyMemory(0),
  };
}

/** A submodule or nested repository of `repo`, remembered, so that its configuration is not read anew each time. */
export function openNested(repo: Repo, path: Bytes, workDir: string): Repo {
  const known = repo.memory.nested.get(path);
  if (known) return known;
  const nested = { ...repo, workDir, memory: emptyMemory(repo.memory.depth + 1) };
  repo.memory.nested.set(path, nested);
  return nested;
}

function emptyMemory(depth: number): Memory {
  return {
    versionChecked: depth > 0,
    location: null,
    localConfig: null,
    gitlinks: null,
    nested: new Map(),
    depth,
    told: new Map(),
    stillDirty: new Map(),
  };
}

/**
 * Where the repository lies, found once and held to: an agent that moves `.git` away, or makes it point to another repository, must
 * not turn our stash and commit loose on that one. Null while there is no repository; throws AR-GIT-002 when it is another one now.
 */
export function locationOf(repo: Repo): Location | null {
  const { memory } = repo;
  if (memory.location === null) {
    // A nested repository is exactly there: looking further up would find the one around it.
    memory.location = memory.depth === 0 ? locate(repo.workDir) : locationAt(repo.workDir);
    return memory.location;
  }
  const now = locationAt(memory.location.top);
  if (now !== null && now.gitDir !== memory.location.gitDir) {
    throw new RunnerError({
      code: 'AR-GIT-002',
      message: `${memory.location.top}/.git points to another repository now: ${now.gitDir} instead of ${memory.location.gitDir}`,
      remedy: 'put the old .git back, or restart agent-runner to accept the new one',
      exit: 'environment',
    });
  }
  return memory.location;
}
