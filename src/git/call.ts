import { dirname } from 'node:path';
import { runCommand } from '../process/command.ts';
import { RunnerError } from '../util/errors.ts';
import type { Override } from './config-values.ts';
import type { Location } from './locate.ts';
import { shown } from './names.ts';
import type { Repo } from './repo.ts';

export interface CallOptions {
  timeoutMs?: number;
  /** The call only looks: it takes no lock, so it never makes another git wait or fail. */
  read?: boolean;
  input?: Buffer;
  /** Another index file than the repository's own. */
  indexFile?: string;
  env?: Record<string, string>;
  maxBytes?: number;
  /** Honour hooks and filters of the repository: only for `auto_commit` while they are the ones that `serve` found at its start. */
  trusted?: boolean;
}

export interface CallResult {
  /** Null when a signal ended it. */
  code: number | null;
  /** One character per byte. */
  stdout: string;
  stderr: string;
  truncated: boolean;
}

/**
 * Off in every call. `core.fsmonitor` names a program; gpg may ask for a passphrase; auto-gc leaves a process behind; a bare repository
 * is only entered when named, so a work tree cannot pose as one.
 */
const ALWAYS_OFF: readonly Override[] = [
  ['core.fsmonitor', 'false'],
  ['commit.gpgSign', 'false'],
  ['log.showSignature', 'false'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  ['submodule.recurse', 'false'],
  ['safe.bareRepository', 'explicit'],
];

/** Operator's variables that git keeps; every other GIT_* (GIT_DIR, GIT_INDEX_FILE, GIT_EXTERNAL_DIFF ...) belongs to somebody else's call. */
const KEPT_GIT_VARIABLE = /^GIT_(CONFIG_(GLOBAL|SYSTEM|NOSYSTEM|COUNT|KEY_\d+|VALUE_\d+)|AUTHOR_\w+|COMMITTER_\w+|EXEC_PATH|SSL_\w+)$/;

/**
 * The one place where a git command line and its environment are put together. Rejects with AR-GIT-001 on a time-out and AR-GIT-003
 * when git cannot be started; an exit code of git's own is in the result.
 */
export async function callGit(
  repo: Repo,
  { top }: Pick<Location, 'top'>,
  args: readonly string[],
  overrides: readonly Override[],
  options: CallOptions = {},
): Promise<CallResult> {
  const { trusted = false, timeoutMs = repo.timeouts.default } = options;
  const fixed = trusted ? ALWAYS_OFF : [...ALWAYS_OFF, ['core.hooksPath', '/dev/null'] as const];
  const result = await runCommand(['git', '-C', top, ...fixed.flatMap(([key, value]) => ['-c', `${key}=${value}`]), ...args], {
    env: { ...environment(repo.env, top, trusted ? [] : overrides, options), ...options.env },
    timeoutMs,
    encoding: 'latin1',
    ...(options.input === undefined ? {} : { input: options.input }),
    ...(options.maxBytes === undefined ? {} : { maxBytes: options.maxBytes }),
  });
  if (result.timedOut) throw gitTimeout(top, args, timeoutMs);
  if (result.spawnError !== null) {
    throw new RunnerError({
      code: 'AR-GIT-003',
      message: `git could not be started in ${top}: ${result.spawnError}`,
      remedy: 'install git and put it on the PATH of this service',
      exit: 'environment',
    });
  }
  return result;
}

/** git did not answer in time; its whole process group was ended. */
function gitTimeout(top: string, args: readonly string[], timeoutMs: number): RunnerError {
  return new RunnerError({
    code: 'AR-GIT-001',
    message: `git ${args[0]} in ${top} did not end within ${timeoutMs / 1000} s and was ended`,
    remedy: 'look at hooks, the disk and other git processes there',
    exit: 'environment',
  });
}

function environment(base: NodeJS.ProcessEnv, top: string, overrides: readonly Override[], options: CallOptions): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = {};
  for (const [name, value] of Object.entries(base)) {
    if (!name.startsWith('GIT_') || KEPT_GIT_VARIABLE.test(name)) env[name] = value;
  }
  env.GIT_TERMINAL_PROMPT = '0';
  env.GIT_EDITOR = 'true';
  env.GIT_PAGER = 'cat';
  env.GCM_INTERACTIVE = 'Never';
  if (options.read) env.GIT_OPTIONAL_LOCKS = '0';
  if (options.indexFile !== undefined) env.GIT_INDEX_FILE = options.indexFile;
  // Hooks are a project's own programs: they get neither our locale nor our fences.
  if (options.trusted) return env;

  env.LC_ALL = 'C';
  // `core.worktree` in the repository's file could name any directory of this machine; this variable wins over it.
  env.GIT_WORK_TREE = top;
  // With `.git` gone, git would go on to a repository further up.
  env.GIT_CEILING_DIRECTORIES = dirname(top);
  // A partial clone fetches what it lacks, and its configuration says with which program: no transport is allowed.
  env.GIT_NO_LAZY_FETCH = '1';
  env.GIT_ALLOW_PROTOCOL = 'none';
  // By environment, not by `-c`: there a name with `=` in it would be cut at the wrong place.
  const first = Number(env.GIT_CONFIG_COUNT ?? 0) || 0;
  overrides.forEach(([key, value], i) => {
    env[`GIT_CONFIG_KEY_${first + i}`] = key;
    env[`GIT_CONFIG_VALUE_${first + i}`] = value;
  });
  if (overrides.length > 0) env.GIT_CONFIG_COUNT = String(first + overrides.length);
  return env;
}

/** What git said about a failure, fit for an event: one line, bounded. */
export function complaint({ code, stdout, stderr }: CallResult): string {
  const text = (stderr.trim() || stdout.trim()).replace(/\s*\n\s*/g, '; ').slice(0, 400);
  return text === '' ? `git ended with ${code ?? 'a signal'}` : shown(text);
}
