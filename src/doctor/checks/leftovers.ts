import { carriesMark, listProcesses } from '../../process/proc.ts';
import { isAlive } from '../../process/stat.ts';
import { findSingleRound } from '../../service/running.ts';
import { serviceStatus } from '../../service/status.ts';
import { projectCheck } from '../check.ts';

export const leftovers = projectCheck(
  'leftovers',
  'no process of an earlier round lives (found by the variable that every one of them carries)',
  async ({ paths, target }, { clock, platform }) => {
    if (platform !== 'linux') return [{ status: 'skipped', summary: 'not looked at: there is no /proc here' }];
    if ((await serviceStatus(target, clock.now())).active || (await findSingleRound(paths)) !== null)
      return [{ status: 'info', summary: 'a supervisor is running and sees to it' }];
    const mark = { name: 'AGENT_RUNNER_LOG_DIR', value: paths.logDir };
    // Whoever runs this inside a round, or in a shell that inherited from one, is no leftover.
    const ours = await lineOf(process.pid);
    const found = (await listProcesses()).filter(
      (entry) => isAlive(entry) && !ours.has(entry.pid) && carriesMark(entry.pid, mark) === 'yes',
    );
    if (found.length === 0) return [{ status: 'ok', summary: 'none' }];
    const processes = found.map(({ pid, comm }) => ({ pid, name: comm }));
    return [
      {
        status: 'warning',
        summary: `${found.length} process(es) of an earlier round live: ${processes.map(({ pid, name }) => `${name} (${pid})`).join(', ')}`,
        remedy: `kill ${found.map(({ pid }) => pid).join(' ')}`,
        facts: { processes },
      },
    ];
  },
);

async function lineOf(pid: number): Promise<Set<number>> {
  const parents = new Map((await listProcesses()).map((entry) => [entry.pid, entry.ppid]));
  const line = new Set<number>();
  for (let at: number | undefined = pid; at !== undefined && at > 0 && !line.has(at); at = parents.get(at)) line.add(at);
  return line;
}
