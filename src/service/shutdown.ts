import { existsSync } from 'node:fs';
import { runCommand } from '../process/command.ts';

/**
 * Whether the machine, or this user's own service manager, is going down: then nobody waits for a round to end by itself (a user's whole
 * manager gets two minutes). Asked when a stop signal has come; false where there is no systemd to ask.
 */
export async function isShuttingDown(env: NodeJS.ProcessEnv = process.env): Promise<boolean> {
  if (!existsSync('/run/systemd/system')) return false;
  const managers = env.XDG_RUNTIME_DIR ? [['--system'], ['--user']] : [['--system']];
  const states = await Promise.all(
    managers.map((flag) => runCommand(['systemctl', ...flag, 'is-system-running'], { env, timeoutMs: 3_000 })),
  );
  return states.some(({ stdout }) => stdout.trim() === 'stopping');
}
