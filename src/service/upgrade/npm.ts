import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type CommandResult, runCommand } from '../../process/command.ts';
import { RunnerError } from '../../util/errors.ts';
import type { Source } from './source.ts';

/** A slow registry, and a folder that is built first. */
const TIMEOUT_MS = 10 * 60_000;
const QUIET = ['--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error'] as const;

export interface Packed {
  tarball: string;
  name: string;
  version: string;
}

/** Makes one tarball of whatever the source is, so that what is tried out and what is installed are the same bytes. Throws AR-UPG-004. */
export async function pack({ spec }: Source, folder: string, env: NodeJS.ProcessEnv): Promise<Packed> {
  const answer = await npm(['pack', spec, '--json', '--pack-destination', folder], folder, env);
  try {
    // A build that prints something comes before it.
    const [{ name, version, filename }] = JSON.parse(answer.stdout.slice(answer.stdout.search(/^\[/m)));
    return { tarball: join(folder, filename.replace(/^@/, '').replace('/', '-')), name, version };
  } catch (cause) {
    throw new RunnerError({ code: 'AR-UPG-004', message: `npm pack ${spec} gave an answer that is not understood`, remedy: MEND, cause });
  }
}

/** Installs a tarball into a global prefix. npm runs there and not in work_dir, whose .npmrc an agent could have written. Throws AR-UPG-004. */
export async function installGlobally(tarball: string, prefix: string, env: NodeJS.ProcessEnv): Promise<void> {
  mkdirSync(prefix, { recursive: true });
  await npm(['install', '--global', '--prefix', prefix, tarball], prefix, env);
}

/** Installs into a project, which then depends on exactly that: a name with its version, or the file or folder that was named. */
export async function installInProject(spec: string, folder: string, env: NodeJS.ProcessEnv): Promise<void> {
  // A folder is copied, not linked: what runs must not change when somebody edits there.
  await npm(['install', '--prefix', folder, '--save-exact', '--install-links', spec], folder, env);
}

const MEND = "look at npm's registry and network settings, and that the prefix is writable";

async function npm(args: readonly string[], cwd: string, env: NodeJS.ProcessEnv): Promise<CommandResult> {
  const answer = await runCommand(['npm', ...args, ...QUIET], { cwd, env, timeoutMs: TIMEOUT_MS, killAfterMs: 5_000 });
  if (answer.code === 0 && !answer.timedOut) return answer;
  throw new RunnerError({ code: 'AR-UPG-004', message: `npm ${args[0]} failed: ${complaint(answer)}`, remedy: MEND });
}

function complaint({ spawnError, timedOut, stderr, stdout, code, signal }: CommandResult): string {
  if (spawnError !== null) return `npm cannot be started (${spawnError})`;
  if (timedOut) return `no end within ${TIMEOUT_MS / 60_000} min`;
  const lines = `${stderr}\n${stdout}`.split('\n').map((line) => line.replace(/^npm (?:error|ERR!) ?/, '').trim());
  const words = lines.filter((line) => line !== '' && !/^A complete log|^code |^errno |^\d{4}-/.test(line)).slice(0, 3);
  return words.length > 0 ? words.join('; ').slice(0, 300) : `exit ${code ?? signal}`;
}
