import type { LoadedConfig } from '../config/load.ts';
import { containerProblems, writtenContainerProblems } from './checks/container.ts';
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

/** What a file's prefixes mean at start, for `migrate`: the key, and whether it stops a start. The same of several phases only once. */
export function writtenStartProblems(
  loaded: LoadedConfig,
  env: NodeJS.ProcessEnv,
): { key: string; message: string; remedy: string; advice: boolean }[] {
  const profiles = profilesToCheck(loaded);
  const found = writtenContainerProblems({ loaded, profiles, env }).flatMap(({ problems }, at) => {
    const { phase = null, fallback = 0, agent } = profiles[at]?.profile ?? {};
    const prefixed = (agent?.exec_prefix.length ?? 0) > 0;
    const own =
      fallback > 0 ? `agent.fallback[${fallback - 1}].command` : phase === null ? 'agent.command' : `phases.${phase}.agent.command`;
    const key = prefixed ? 'agent.exec_prefix' : own;
    return problems.map(({ severity, message, remedy }) => ({ key, message, remedy, advice: severity === 'warning' }));
  });
  return found.filter(({ message }, at) => found.findIndex((other) => other.message === message) === at);
}
