import { cpSync, existsSync, lstatSync, readlinkSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { besideModules, type Installation } from './installation.ts';

export interface Backup {
  /** Puts everything back as it was. */
  restore(): void;
  /** Removes the copy. */
  discard(): void;
}

const NAME = '.agent-runner-before-upgrade';

/**
 * Copies what npm is about to replace, on the same file system: the package with all that lies in it, the link by which it is called, and
 * for a project of its own what npm writes there. Going back then needs neither a registry nor npm.
 */
export function backUp(installation: Installation): Backup {
  const { prefix, global, folder } = installation;
  const modules = join(besideModules(installation), 'node_modules');
  const place = join(besideModules(installation), NAME);
  const link = global ? join(prefix, 'bin', 'agent-runner') : join(modules, '.bin', 'agent-runner');
  const files = global ? [] : [join(prefix, 'package.json'), join(prefix, 'package-lock.json'), join(modules, '.package-lock.json')];
  const target = lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink() ? readlinkSync(link) : null;

  // From an upgrade that was killed: it went well as far as we go, since we are running.
  rmSync(place, { recursive: true, force: true });
  copy(folder, join(place, 'package'));
  files.forEach((file, i) => {
    if (existsSync(file)) copy(file, join(place, `file-${i}`));
  });

  return {
    restore() {
      rmSync(folder, { recursive: true, force: true });
      renameSync(join(place, 'package'), folder);
      files.forEach((file, i) => {
        rmSync(file, { force: true });
        if (existsSync(join(place, `file-${i}`))) renameSync(join(place, `file-${i}`), file);
      });
      if (target !== null) {
        rmSync(link, { force: true });
        symlinkSync(target, link);
      }
      rmSync(place, { recursive: true, force: true });
    },
    discard: () => rmSync(place, { recursive: true, force: true }),
  };

  function copy(from: string, to: string): void {
    cpSync(from, to, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
  }
}
