import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Replaced by the bundler; absent when the sources run directly. */
declare const AGENT_RUNNER_VERSION: string | undefined;

/** The folder that holds package.json, whether the bundle in dist/ or the sources in src/ are running. */
export function packageRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json')) && dirname(folder) !== folder) folder = dirname(folder);
  return folder;
}

export function version(): string {
  if (typeof AGENT_RUNNER_VERSION === 'string') return AGENT_RUNNER_VERSION;
  return JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')).version;
}
