import { readProcess } from '../../process/proc.ts';
import type { DoctorCheck } from '../check.ts';

/** Programs that wait only for children of their own: what an agent leaves behind and is given to them stays a zombie for ever. */
const NEVER_REAP = /^(node|npm|npx|MainThread|python[\d.]*|java|agent-runner)/;

export const pidOne: DoctorCheck = {
  name: 'pid_1',
  what: 'the process that inherits orphans reaps them; `node` as process 1 of a container does not',
  run({ platform }) {
    if (platform !== 'linux') return [{ status: 'info', summary: 'not looked at: there is no /proc here' }];
    const comm = readProcess(1)?.comm ?? null;
    const facts = { comm };
    if (comm === null) return [{ status: 'info', summary: 'process 1 cannot be seen from here', facts }];
    if (!NEVER_REAP.test(comm)) return [{ status: 'ok', summary: comm, facts }];
    return [
      {
        status: 'warning',
        summary: `process 1 is ${comm}, which does not reap what agents leave behind: zombies pile up`,
        remedy: 'Start the container with --init (compose: init: true), or put tini before the command.',
        facts,
      },
    ];
  },
};
