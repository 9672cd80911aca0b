import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { locate } from '../git/locate.ts';
import { type CommandResult, runCommand } from '../process/command.ts';
import { errnoOf, messageOf, RunnerError } from '../util/errors.ts';
import { packageRoot } from '../util/package.ts';

export interface Scratch {
  /** 0700, below the user's log_dir. */
  folder: string;
  /** A clone of the user's work tree, or an empty repository where it could not be cloned. */
  workDir: string;
  cloned: boolean;
  /** Leaves no trace. */
  remove(): void;
}

/** A huge work tree is not worth waiting for: an empty repository shows the same. */
const CLONE_MS = 120_000;
/** Hidden from `git status`, and seen wherever the work tree is. */
const HIDDEN = join('.git', 'agent-runner-drill');

/** The scripted agent and its heartbeat, relative to the work tree: the agent may see that under another path, in a container. */
export const AGENT = join(HIDDEN, 'agent.mjs');
export const HEARTBEAT = join(HIDDEN, 'heartbeat');

/** Throws AR-DRL-001 when log_dir takes no folder, AR-DRL-002 when git makes no repository. */
export async function makeScratch(workDir: string, logDir: string, prefixed: boolean, env: NodeJS.ProcessEnv): Promise<Scratch> {
  const isNew = !existsSync(logDir);
  const folder = makeFolder(logDir);
  const remove = () => {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    if (isNew) removeEmpty(logDir);
  };
  try {
    const tree = join(folder, 'work');
    const cloned = await clone(workDir, tree, env);
    if (!cloned) await emptyRepository(tree, env);
    mkdirSync(join(tree, HIDDEN), { recursive: true });
    copyFileSync(join(packageRoot(), 'src', 'agents', 'demo', 'agent.mjs'), join(tree, AGENT));
    // Behind a prefix the agent may be somebody else (`-u 1000:1000`). The folder above is closed to everybody who has no mount of this.
    if (prefixed) openToAll(tree);
    return { folder, workDir: tree, cloned, remove };
  } catch (error) {
    remove();
    throw error;
  }
}

function makeFolder(logDir: string): string {
  try {
    mkdirSync(logDir, { recursive: true });
    return mkdtempSync(join(logDir, 'drill-'));
  } catch (cause) {
    throw new RunnerError({
      code: 'AR-DRL-001',
      message: `log_dir ${logDir} takes no scratch folder: ${errnoOf(cause) ?? messageOf(cause)}`,
      remedy: 'give this user write permission there, or free space',
      exit: 'environment',
      cause,
    });
  }
}

function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // Somebody uses it by now.
  }
}

/** One commit deep, with nothing shared: a container sees the clone alone. */
async function clone(workDir: string, into: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  const top = locate(workDir)?.top;
  if (top === undefined) return false;
  const quiet = { ...env, GIT_TERMINAL_PROMPT: '0', GIT_LFS_SKIP_SMUDGE: '1' };
  const args = ['clone', '--quiet', '--depth', '1', '--single-branch', '--no-tags', `file://${top}`, into];
  const answer = await runCommand(['git', '-c', 'core.hooksPath=/dev/null', ...args], { env: quiet, timeoutMs: CLONE_MS });
  if (answer.code === 0 && (await git(into, env, 'rev-parse', '--verify', '--quiet', 'HEAD')).code === 0) return true;
  rmSync(into, { recursive: true, force: true });
  return false;
}

async function emptyRepository(tree: string, env: NodeJS.ProcessEnv): Promise<void> {
  const made = await runCommand(['git', 'init', '--quiet', tree], { env });
  const committed = await git(
    tree,
    env,
    '-c',
    'user.name=Drill',
    '-c',
    'user.email=drill@localhost',
    '-c',
    'commit.gpgsign=false',
    'commit',
    '--quiet',
    '--allow-empty',
    '-m',
    'A scratch repository',
  );
  if (made.code === 0 && committed.code === 0) return;
  throw new RunnerError({
    code: 'AR-DRL-002',
    message: `git makes no scratch repository in ${tree}: ${made.stderr.trim() || committed.stderr.trim() || made.spawnError}`,
    remedy: "'agent-runner doctor' says what is wrong with git here",
  });
}

export function git(tree: string, env: NodeJS.ProcessEnv, ...args: string[]): Promise<CommandResult> {
  return runCommand(['git', '-C', tree, ...args], { env: { ...env, GIT_TERMINAL_PROMPT: '0' } });
}

function openToAll(path: string): void {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return;
  chmodSync(path, stat.mode | (stat.isDirectory() ? 0o777 : 0o666));
  if (stat.isDirectory()) for (const name of readdirSync(path)) openToAll(join(path, name));
}
