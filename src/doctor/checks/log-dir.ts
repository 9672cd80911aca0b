import { existsSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { acquireLock } from '../../state/lock.ts';
import { RunnerError } from '../../util/errors.ts';
import { projectCheck } from '../check.ts';
import { folderProblem } from './environment.ts';

const MEND = 'Give this user write permission there, or correct [runtime] log_dir.';

export const logDir = projectCheck(
  'log_dir',
  '`log_dir` can be written and its file system locks (probed with a file that is removed again)',
  async ({ paths }) => {
    const folder = nearestExisting(paths.logDir);
    const problem = folderProblem(folder);
    if (problem !== null) return [{ status: 'failed', summary: `${folder} ${problem}`, remedy: MEND, code: 'AR-CHK-001' }];
    if (folder !== paths.logDir) return [{ status: 'ok', summary: `${paths.logDir} will be made in ${folder}` }];
    const probe = join(folder, `.doctor-probe-${process.pid}`);
    try {
      const lock = await acquireLock(probe);
      lock?.release();
      return [{ status: 'ok', summary: `${folder}, with working locks` }];
    } catch (error) {
      if (!(error instanceof RunnerError)) throw error;
      return [{ status: 'failed', summary: error.message, remedy: error.remedy ?? MEND, code: error.code }];
    } finally {
      rmSync(probe, { force: true });
    }
  },
);

function nearestExisting(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : nearestExisting(dirname(folder));
}
