import { CONTAINER_ERROR_CODES, type ContainerErrorCode } from '../util/container-error-codes.ts';
import type { ContainerRun } from './detect.ts';
import type { RunOptions } from './options.ts';

export interface ContainerProblem {
  /** Name of the start-up check; two of them are the Python predecessor's. */
  name: string;
  code: ContainerErrorCode;
  /** Errors are permanent (78); warnings are told at start and nothing more. */
  severity: 'error' | 'warning';
  message: string;
  remedy: string;
}

export interface ContainerCheckInput {
  /** Prefix and command, `{work_dir}` filled in. */
  argv: readonly string[];
  prefixLength: number;
  promptDelivery: 'argv' | 'stdin';
  workDir: string;
  logDir: string;
  /** What the engine's client will find in its environment. */
  env: Readonly<Record<string, string | undefined>>;
  /** `work_dir/.git` when it is a file, else null. */
  gitFile: GitFile | null;
  /** Asked only where `imageToLookFor` names one; null: not asked, or no answer. */
  imagePresent: boolean | null;
  /** The user who runs the supervisor, as `sudo -u` would name them. */
  user: string | undefined;
  /** Resolves symbolic links; the identity in tests. */
  realPath: (path: string) => string;
}

/** A `.git` that is a file: a linked worktree, or a submodule. */
export interface GitFile {
  /** As written after `gitdir: `, absolute or relative to work_dir. */
  written: string;
  gitDir: string;
  /** Where objects and refs are; the same as gitDir but for a linked worktree. */
  commonDir: string;
}

/** What one check sees. */
export interface RunFacts extends ContainerCheckInput {
  run: ContainerRun;
  options: RunOptions;
  /** Host folders that the container sees, resolved, with their place inside. */
  mounts: { source: string; target: string }[];
}

export function problem(
  severity: ContainerProblem['severity'],
  name: string,
  code: ContainerErrorCode,
  message: string,
  remedy?: string,
): ContainerProblem {
  return { name, code, severity, message, remedy: remedy ?? CONTAINER_ERROR_CODES[code].remedy };
}
