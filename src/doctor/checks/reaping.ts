import { readFileSync } from 'node:fs';
import { runCommand } from '../../process/command.ts';
import { carriesMark } from '../../process/proc.ts';
import type { DoctorCheck, DoctorContext } from '../check.ts';

export const reaping: DoctorCheck = {
  name: 'reaping',
  what: 'by which means everything that a round started is found and ended here: group and session, the mark in the environment, a cgroup leaf, a PID namespace',
  async run(context) {
    const means = {
      group: true,
      session: true,
      descendants: true,
      mark: canReadMarks(context),
      cgroup_leaf: context.host.cgroup.delegated,
      pid_namespace: await canUnshare(context),
    };
    const names = (real: boolean) =>
      Object.entries(means)
        .filter(([, is]) => is === real)
        .map(([name]) => name.replace('_', ' '));
    const missing = names(false);
    const summary = `${names(true).join(', ')}${missing.length === 0 ? '' : `; not here: ${missing.join(', ')}`}`;
    // Agent CLIs put their tools into groups of their own: without any of the last three such a tool can outlive its round.
    if (means.mark || means.cgroup_leaf) return [{ status: 'ok', summary, facts: means }];
    const remedy =
      context.platform === 'linux' ? 'Mount /proc without hidepid for this user.' : 'On Linux, or in a container, more is possible.';
    return [{ status: 'warning', summary: `${summary}: a tool that leaves its group and its parent is not found`, remedy, facts: means }];
  },
};

/** A process's own environment is readable wherever /proc is as it should be. */
function canReadMarks({ platform, env }: DoctorContext): boolean {
  if (platform !== 'linux') return false;
  const name = ['PATH', 'HOME', 'PWD'].find((candidate) => env[candidate] !== undefined);
  if (name === undefined || /hidepid=(1|2|4|noaccess|invisible|ptraceable)/.test(procOptions())) return false;
  return carriesMark(process.pid, { name, value: initialValue(name) }) === 'yes';
}

function initialValue(name: string): string {
  const entry = read('/proc/self/environ')
    .split('\0')
    .find((line) => line.startsWith(`${name}=`));
  return entry?.slice(name.length + 1) ?? '';
}

function procOptions(): string {
  return read('/proc/self/mounts')
    .split('\n')
    .filter((line) => line.split(' ')[1] === '/proc')
    .join('\n');
}

/** As root without, as anybody else with a user namespace; kernels and containers may forbid it. */
async function canUnshare({ platform, env }: DoctorContext): Promise<boolean> {
  if (platform !== 'linux') return false;
  const user = process.getuid?.() === 0 ? [] : ['--user', '--map-current-user'];
  const answer = await runCommand(['unshare', ...user, '--fork', '--pid', '--kill-child', '--mount-proc', 'true'], {
    env,
    timeoutMs: 3_000,
  });
  return answer.code === 0;
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
