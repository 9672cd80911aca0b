import type { Leaf, LeafMemory } from '../process/cgroup-leaf.ts';
import type { Mark } from '../process/proc.ts';
import type { RunnerError } from '../util/errors.ts';

/** A process as the kernel knows it: a pid alone may be somebody else by now. */
export interface ProcessIdentity {
  pid: number;
  /** Field 22 of /proc/<pid>/stat, clock ticks since boot; epoch seconds where there is no /proc; 0 = unknown. */
  startTicks: number;
}

export interface NamedProcess {
  pid: number;
  /** Kernel `comm`, at most 15 bytes; never argv, which may hold secrets. */
  name: string;
}

interface IgnoredProcess extends NamedProcess {
  /** The source of the ignore pattern that its command line matched. */
  matched: string;
}

/** Why a run ended, from the supervisor's side. */
export type RunEnd = 'exit' | 'timeout' | 'idle' | 'grace' | 'stopped' | 'memory' | 'disk' | 'spawn_failed';

/** What a line said: the turn is finished, or (after that) that it goes on after all, so that the grace starts anew at the next 'result'. */
type LineVerdict = 'result' | 'resumed' | undefined;

/** The proof of how a run ended: who was alive, who was signalled, who survived. */
export interface Receipt {
  /** Everyone who was seen alive at any scan after the leader ended or the ladder began. */
  members: NamedProcess[];
  /** Those of `members` that had left the leader's process group. */
  escaped: NamedProcess[];
  /** Those that got a signal from us. */
  signalled: NamedProcess[];
  /** Those of `signalled` that are neither the leader nor a helper by the ignore patterns: work that was left running. */
  leftovers: NamedProcess[];
  /** Those still alive when the ladder's time was up. */
  survivors: NamedProcess[];
  /** The same processes as the kernel knows them, so that they are found again later. */
  survivorIdentities: ProcessIdentity[];
  containerId: string | null;
  /** What became of the run's control group: whether it had to be killed as one, whether it is gone. Null when there was none. */
  leaf: { folder: string; killed: boolean; removed: boolean } | null;
  durationMs: number;
}

export interface RunSpec {
  /** The whole argv, prefix included; argv[0] already resolved to an absolute path. */
  argv: readonly [string, ...string[]];
  /** The complete environment, mark included. */
  env: Record<string, string>;
  cwd: string;
  /** Text for standard input, or null for /dev/null. */
  stdin: string | null;
  /** The variable that every process of this run carries in its environment, so that escapees are found. */
  mark: Mark;
  log: { path: string; maxBytes: number };
  /** A control group for this run alone: joined before exec, killed as one, removed afterwards. */
  leaf?: Leaf;
  /** What puts a command into a PID namespace of its own (process/pid-namespace.ts), up to and including `--`. */
  pidNamespace?: readonly string[];
  /** Bytes of memory for all of the run together: bounded by the leaf where that can be, else measured, and then the run is ended. */
  memoryMaxBytes?: number;
  /** Wall for the whole run, monotonic milliseconds; no extension of any kind. */
  hardTimeoutMs: number;
  /** 0 = off. */
  idleTimeoutMs: number;
  /** Below so many milliseconds of CPU per 30 s the tree counts as doing nothing; default 50. */
  restingCpuMs?: number;
  /** Absolute paths under `cwd` whose changes are no sign of life, because the supervisor itself writes there. The log's folder always is. */
  idleExclude?: readonly string[];
  /** After `onLine` said 'result': how long a leader with nobody working may stay. 0 = off. */
  graceAfterResultMs: number;
  /**
   * CPU time, in milliseconds, that work of this run used so far outside its process tree (in a container); null while that is not known.
   * Its growth keeps the idle wall and the grace after a result away. Asked anew each time; never rejects.
   */
  outsideCpuMs?: () => Promise<number | null>;
  /**
   * Ends by other means what takes no signal of ours, because it belongs to another user. Asked once, after the first signal; may take the
   * grace and what the caller's own bound adds to it. Never rejects.
   */
  endOtherwise?: () => Promise<void>;
  /** Command lines of helpers that do not count as working. */
  ignorePatterns: readonly RegExp[];
  /** Between the stop signal and SIGKILL. */
  termGraceMs: number;
  /** First signal of a cooperative stop; the hard wall always begins with SIGTERM. */
  stopSignal: NodeJS.Signals;
  /** Which lines `onLine` gets: all (the default), or only those that begin with `{`, so that the others cost next to nothing. */
  lines?: 'json' | 'all';
  /** Each complete line (without its newline), bounded to 1 MiB, UTF-8 safe. */
  onLine?: (line: string) => LineVerdict;
  /** The process exists: make its identity durable. */
  onSpawned?: (identity: ProcessIdentity) => void;
  /** Grace is over but somebody works: told once. Nobody is named when the work is outside the process tree. */
  onGraceExtended?: (working: NamedProcess[], ignored: IgnoredProcess[]) => void;
  /** Aborting ends the run by the ladder; `reason` must be one of 'stopped' | 'memory' | 'disk'. */
  stop?: AbortSignal;
  /** Aborting cuts every grace short: there is no time left before SIGKILL. */
  hurry?: AbortSignal;
}

export interface RunReport {
  end: RunEnd;
  /** Null when nothing was started. */
  leader: ProcessIdentity | null;
  /** Exit code of the leader (in a PID namespace 128 + n for a signal); null when a signal ended it, it never started, or it outlived the ladder. */
  exitCode: number | null;
  signal: NodeJS.Signals | null;
  /** errno when it could not be started. */
  spawnError: string | null;
  /** The same for people: which of directory, program or argument was at fault, and what to do. */
  problem: RunnerError | null;
  /** From the spawn to the leader's end (or to the ladder's end when the leader outlived it). */
  durationMs: number;
  /** Bytes that came out of the pipe. */
  outputBytes: number;
  /** Bytes of output that are not in the log: dropped to keep its size, or refused by the disk. */
  droppedBytes: number;
  /** The kernel's account of the leaf's memory; null without a leaf or a memory controller. */
  leafMemory: LeafMemory | null;
  /** The measured bytes that were more than `memoryMaxBytes`; null unless `end` is 'memory' for that reason. */
  memoryExceededBytes: number | null;
  /** errno of the log when it could not be written in full (ENOSPC ...), else null. */
  logError: string | null;
  resultSeen: boolean;
  /** The last bytes of the output, at most 64 KiB, decoded. */
  tail: string;
  receipt: Receipt;
}
