import { CONTROL_MOUNT } from './control-dir.ts';

export const ROUND_LABEL = 'agent-runner.round';
export const OWNER_LABEL = 'agent-runner.owner';

export interface Injection {
  roundId: string;
  owner: string;
  /** null: the operator has a `--cidfile` of their own, or the client cannot write ours. */
  cidfile: string | null;
  /** Host folder to bind at /run/agent-runner; null: the engine cannot see our files, or the operator mounts something there. */
  controlDir: string | null;
  /** SELinux label for the bind, asked for only where the operator asks for one on a mount of their own. */
  relabel: boolean;
  /** null = value-less: the client takes the value from its own environment. A value where a wrapper empties that. */
  env: readonly { name: string; value: string | null }[];
}

/** Puts our options right after `run`; every other token stays as it was, where it was. Pure. */
export function injectOptions(argv: readonly string[], runIndex: number, injection: Injection): string[] {
  const { roundId, owner, cidfile, controlDir, relabel, env } = injection;
  return [
    ...argv.slice(0, runIndex + 1),
    ...(cidfile === null ? [] : ['--cidfile', cidfile]),
    '--label',
    `${ROUND_LABEL}=${roundId}`,
    '--label',
    `${OWNER_LABEL}=${owner}`,
    ...env.flatMap(({ name, value }) => ['-e', value === null ? name : `${name}=${value}`]),
    ...(controlDir === null ? [] : ['-v', `${controlDir}:${CONTROL_MOUNT}${relabel ? ':Z' : ''}`]),
    ...argv.slice(runIndex + 1),
  ];
}
