import { existsSync } from 'node:fs';
import { lingerProblem } from '../../service/install-checks.ts';
import type { DoctorCheck } from '../check.ts';

export const linger: DoctorCheck = {
  name: 'linger',
  what: 'where systemd runs: user services go on after logout',
  async run({ platform }) {
    if (platform !== 'linux' || !existsSync('/run/systemd/system')) return [{ status: 'info', summary: 'systemd does not run here' }];
    const problem = await lingerProblem();
    if (problem === null) return [{ status: 'ok', summary: 'services of this user run without a login' }];
    return [{ status: 'warning', summary: problem.message, remedy: problem.remedy ?? '', code: problem.code }];
  },
};
