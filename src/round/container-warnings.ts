import type { LoadedConfig } from '../config/load.ts';
import { containerProblems } from './checks/container.ts';
import { profilesToCheck } from './checks/profiles.ts';

/** What a container prefix does that works and hurts later, one line each; the same of several phases only once. */
export async function containerWarnings(loaded: LoadedConfig, env: NodeJS.ProcessEnv): Promise<string[]> {
  const found = await containerProblems({ loaded, profiles: profilesToCheck(loaded), env });
  const lines = found.flatMap(({ problems }) =>
    problems
      .filter(({ severity }) => severity === 'warning')
      .map(({ message, code, remedy }) => `container: ${message} [${code}]; ${remedy}`),
  );
  return [...new Set(lines)];
}
