import { chmodSync, chownSync, constants, copyFileSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { writeAtomic } from '../../state/atomic.ts';
import { errnoOf, messageOf, RunnerError } from '../../util/errors.ts';
import { freeName } from '../init/write.ts';

/**
 * Puts the new text in the place of the old one in one step, after a copy of the old file was made beside it; mode and owner stay, and
 * a symbolic link stays one. Returns where the copy lies. Throws AR-MIG-001 when the file was changed since it was read, AR-MIG-002 when
 * it cannot be written; the old file is untouched then.
 */
export function replaceConfig(path: string, before: string, after: string): string {
  try {
    const file = realpathSync(path);
    if (readFileSync(file, 'utf8') !== before) {
      throw new RunnerError({
        code: 'AR-MIG-001',
        message: `${path} was changed while it was being migrated`,
        remedy: 'run this again; nothing was written',
      });
    }
    const { mode, uid, gid } = statSync(file);
    const backup = freeName(`${file}.bak`);
    copyFileSync(file, backup, constants.COPYFILE_EXCL);
    writeAtomic(file, after, { mode: mode & 0o7777 });
    chmodSync(file, mode & 0o7777);
    keepOwner(file, uid, gid);
    return backup;
  } catch (error) {
    if (error instanceof RunnerError && error.code === 'AR-MIG-001') throw error;
    throw new RunnerError({
      code: 'AR-MIG-002',
      message: `${path} cannot be written: ${errnoOf(error) ?? messageOf(error)}`,
      remedy: 'give this user write permission on the file and its folder; nothing was changed',
      cause: error,
    });
  }
}

/** Only root can give files away; for anybody else the file is their own already, or they could not have replaced it usefully. */
function keepOwner(file: string, uid: number, gid: number): void {
  try {
    chownSync(file, uid, gid);
  } catch {
    // See above.
  }
}
