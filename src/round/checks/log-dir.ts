import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf } from '../../util/errors.ts';
import { type Check, pass } from './check.ts';

/** A full or read-only disk may be mended while we wait, so this one is environmental. */
export const logDirWritable: Check = ({ loaded }) => {
  const logDir = loaded.config.runtime.log_dir;
  const probe = join(logDir, '.write_probe');
  try {
    for (const folder of ['rounds', 'state']) mkdirSync(join(logDir, folder), { recursive: true });
    writeFileSync(probe, 'probe');
    rmSync(probe);
    return [pass('log_dir_writable')];
  } catch (error) {
    return [
      {
        name: 'log_dir_writable',
        ok: false,
        permanent: false,
        code: 'AR-CHK-001',
        reason: `log_dir ${logDir} cannot be written (${errnoOf(error) ?? 'unknown error'})`,
        remedy: 'free space, or give this user write permission there',
      },
    ];
  }
};
