import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { RunnerError } from '../../util/errors.ts';

/** Where a copy of this program lies, as npm put it there. */
export interface Installation {
  /** As npm counts: what `--prefix` is given. */
  prefix: string;
  /** `npm install --global`: everything of the package is in its own folder. */
  global: boolean;
  /** The package's name. */
  name: string;
  /** The package's own folder. */
  folder: string;
}

/** `root`: the folder with this program's package.json. Throws AR-UPG-003 for a copy that npm did not install. */
export function findInstallation(root: string): Installation {
  const folder = realpathSync(root);
  const { name } = readManifest(folder);
  const modules = name.startsWith('@') ? dirname(dirname(folder)) : dirname(folder);
  if (basename(modules) !== 'node_modules' || !folder.endsWith(`/node_modules/${name}`)) {
    throw new RunnerError({
      code: 'AR-UPG-003',
      message: `${folder} was not installed by npm`,
      remedy: existsSync(join(folder, '.git'))
        ? 'it is a checkout of the sources: git pull && npm ci'
        : 'update it the way it came here (an image: build and start a new one)',
    });
  }
  const above = dirname(modules);
  // npm keeps global packages in lib/node_modules of the prefix, and a project's own beside its package.json.
  const global = basename(above) === 'lib' && !existsSync(join(above, 'package.json'));
  return { prefix: global ? dirname(above) : above, global, name, folder };
}

/** The package's folder under a global prefix. */
export function globallyAt(prefix: string, name: string): string {
  return join(prefix, 'lib', 'node_modules', name);
}

/** The folder above node_modules: same file system, and npm does not look into it. */
export function besideModules({ prefix, global }: Installation): string {
  return global ? join(prefix, 'lib') : prefix;
}

/** The file that Node runs for `agent-runner`. */
export function programOf(folder: string): string {
  const { bin } = readManifest(folder);
  const file = typeof bin === 'string' ? bin : Object.values(bin ?? {})[0];
  return join(folder, file ?? 'dist/main.js');
}

export function readManifest(folder: string): { name: string; version: string; bin?: string | Record<string, string> } {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}
