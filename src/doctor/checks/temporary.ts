import { mkdtempSync, rmdirSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errnoOf, messageOf } from '../../util/errors.ts';
import type { DoctorCheck } from '../check.ts';

/** statfs(2) on Linux. */
const TMPFS = 0x01021994;

export const temporary: DoctorCheck = {
  name: 'tmpdir',
  what: 'the temporary folder takes new folders (probed), and whether it is memory',
  run() {
    const folder = tmpdir();
    try {
      rmdirSync(mkdtempSync(join(folder, 'agent-runner-doctor-')));
    } catch (error) {
      return [
        {
          status: 'failed',
          summary: `${folder} takes no new folder (${errnoOf(error) ?? messageOf(error)})`,
          remedy: 'Make room or mend its permissions, or set TMPDIR.',
          facts: { tmpdir: folder },
        },
      ];
    }
    const inMemory = process.platform === 'linux' && statfsSync(folder).type === TMPFS;
    return [
      {
        status: 'ok',
        summary: inMemory ? `${folder} (in memory: what agents leave there counts as memory)` : folder,
        facts: { tmpdir: folder, in_memory: inMemory },
      },
    ];
  },
};
