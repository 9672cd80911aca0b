import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import type { Profile } from '../config/profile.ts';

/** prefix + command + template. In stdin delivery the template is verbatim: the prompt can never reach argv. */
export function agentArgv(agent: Profile['agent'], prompt: string, workDir: string): [string, ...string[]] {
  const prefix = agent.exec_prefix.map((token) => token.replaceAll('{work_dir}', () => workDir));
  const template =
    agent.prompt_delivery === 'argv' && prompt !== ''
      ? agent.prompt_arg_template.map((token) => token.replaceAll('{prompt}', () => prompt))
      : agent.prompt_arg_template.filter((token) => !token.includes('{prompt}'));
  return [...prefix, ...agent.command, ...template] as [string, ...string[]];
}

/** Where `name` would be found by a child with this PATH and cwd, or null. The start-up check and the spawn both ask here. */
export function resolveBinary(name: string, path: string | undefined, workDir: string): string | null {
  if (name.includes('/')) return executable(isAbsolute(name) ? name : resolve(workDir, name));
  for (const folder of (path ?? '').split(delimiter)) {
    const found = executable(join(folder === '' ? workDir : resolve(workDir, folder), name));
    if (found) return found;
  }
  return null;
}

function executable(path: string): string | null {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile() ? path : null;
  } catch {
    return null;
  }
}
