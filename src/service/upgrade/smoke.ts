import { runCommand } from '../../process/command.ts';
import { programOf } from './installation.ts';

/** A start takes a tenth of a second; a machine that swaps may need a while. */
const TIMEOUT_MS = 30_000;

/** Runs an installed copy in a fresh process. Returns why it does not work, or null. */
export async function smoke(folder: string, version: string, configPath: string | null, env: NodeJS.ProcessEnv): Promise<string | null> {
  const said = await run(folder, ['--version'], env);
  if (said.code !== 0) return `--version ended with ${ending(said)}`;
  if (said.stdout.trim() !== `agent-runner ${version}`)
    return `--version said ${JSON.stringify(said.stdout.trim().slice(0, 80))}, not ${version}`;
  if (configPath === null) return null;
  const peeked = await run(folder, ['peek', '--json', '--config', configPath], env);
  if (peeked.code !== 0) return `peek --json ended with ${ending(peeked)}`;
  try {
    if (typeof JSON.parse(peeked.stdout).schema_version === 'string') return null;
  } catch {
    // Told below.
  }
  return 'peek --json did not print what it should';
}

/** What a copy's own `migrate` says of a configuration; null when it knows no such verb or says something else. */
export async function askMigrate(
  folder: string,
  configPath: string,
  env: NodeJS.ProcessEnv,
  dryRun: boolean,
): Promise<{ applied: Item[]; manual: Item[]; backup: string | null } | null> {
  const answer = await run(folder, ['migrate', ...(dryRun ? ['--dry-run'] : []), '--json', '--config', configPath], env);
  try {
    const { applied, manual, backup = null } = JSON.parse(answer.stdout);
    return Array.isArray(applied) && Array.isArray(manual) ? { applied, manual, backup } : null;
  } catch {
    return null;
  }
}

interface Item {
  key: string;
  line: number;
  message: string;
}

function run(folder: string, args: readonly string[], env: NodeJS.ProcessEnv) {
  return runCommand([process.execPath, programOf(folder), ...args], { cwd: folder, env, timeoutMs: TIMEOUT_MS });
}

function ending({ code, signal, timedOut, stderr }: Awaited<ReturnType<typeof run>>): string {
  const line = stderr.trim().split('\n')[0] ?? '';
  return `${timedOut ? 'no answer in time' : `exit ${code ?? signal}`}${line === '' ? '' : `: ${line.slice(0, 200)}`}`;
}
