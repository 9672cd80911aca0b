import { type CommandResult, runCommand } from '../../process/command.ts';
import { RunnerError } from '../../util/errors.ts';

/** A commit runs the user's own hooks; they get as long as the predecessor gave them. */
const COMMIT_TIMEOUT_MS = 120_000;

const COMMIT_MESSAGE = 'chore: agent-runner initial config';

function git(folder: string, args: readonly string[], timeoutMs = 10_000): Promise<CommandResult> {
  const env = { ...process.env, GIT_TERMINAL_PROMPT: '0', GIT_EDITOR: 'true' };
  return runCommand(['git', ...args], { cwd: folder, env, timeoutMs });
}

/** Throws AR-INI-001 when `folder` is in no git work tree, AR-INI-005 when git cannot be asked. */
export async function requireWorkTree(folder: string): Promise<void> {
  const answer = await git(folder, ['rev-parse', '--is-inside-work-tree']);
  if (answer.spawnError !== null || answer.timedOut) {
    const why = answer.timedOut ? 'git did not answer within 10 s' : `git cannot be started (${answer.spawnError})`;
    throw new RunnerError({ code: 'AR-INI-005', message: `${folder}: ${why}`, remedy: 'install git, or extend PATH' });
  }
  if (answer.code === 0 && answer.stdout.trim() === 'true') return;
  // "dubious ownership" is the one complaint that a user must read in git's own words.
  const dubious = /dubious ownership/.test(answer.stderr);
  throw new RunnerError({
    code: 'AR-INI-001',
    message: dubious ? `${folder}: git refuses a work tree that somebody else owns` : `${folder} is not in a git work tree`,
    remedy: dubious ? `git config --global --add safe.directory '${folder}'` : `git init '${folder}', then run this again`,
    exit: 'config',
  });
}

/** Whether the user has changes of their own in `path` already: then it is not ours to commit. */
export async function hasChanges(folder: string, path: string): Promise<boolean> {
  const answer = await git(folder, ['-c', 'core.fsmonitor=false', 'status', '--porcelain', '--', path]);
  return answer.code !== 0 || answer.stdout.trim() !== '';
}

/** Those of `paths` that the user's ignore rules let in: `git add` refuses all of them for the sake of one. */
export async function notIgnored(folder: string, paths: readonly string[]): Promise<string[]> {
  if (paths.length === 0) return [];
  const answer = await git(folder, ['check-ignore', '--no-index', '--', ...paths]);
  const ignored = answer.stdout.split('\n');
  return paths.filter((path) => !ignored.includes(path));
}

export type CommitAnswer = { committed: true } | { committed: false; problem: string | null };

/** Commits exactly these files, whatever else is staged. A commit that fails is told and nothing more: the files are there. */
export async function commitFiles(folder: string, paths: readonly string[]): Promise<CommitAnswer> {
  if (paths.length === 0) return { committed: false, problem: null };
  const added = await git(folder, ['add', '--', ...paths]);
  if (added.code !== 0) return { committed: false, problem: reasonOf(added) };
  const changed = await git(folder, ['diff', '--cached', '--quiet', '--', ...paths]);
  if (changed.code === 0) return { committed: false, problem: null };
  const args = ['-c', 'commit.gpgsign=false', 'commit', '-q', '-m', COMMIT_MESSAGE, '--', ...paths];
  const done = await git(folder, args, COMMIT_TIMEOUT_MS);
  return done.code === 0 ? { committed: true } : { committed: false, problem: reasonOf(done) };
}

function reasonOf({ stderr, stdout, timedOut, code }: CommandResult): string {
  if (timedOut) return 'git did not end in time';
  const lines = `${stderr}\n${stdout}`.split('\n').map((line) => line.trim());
  return lines.find((line) => /^(fatal|error):/.test(line)) ?? lines.find((line) => line !== '') ?? `git ended with code ${code}`;
}
