import type { LoadedConfig } from '../config/load.ts';
import type { Reach } from './programs.ts';
import type { HookKind } from './run.ts';

export interface UserCommand {
  kind: HookKind;
  argv: readonly [string, ...string[]];
}

/** Every command that this configuration wants to be run on behalf of the user. */
export function commandsOf({ config }: LoadedConfig): UserCommand[] {
  const { command } = config.notify;
  return [
    ...(['serve_start', 'pre_round', 'post_round'] as const).flatMap((kind) => config.hooks[kind].map((argv) => ({ kind, argv }))),
    ...(command === null ? [] : [{ kind: 'notify', argv: command } as const]),
  ];
}

export function argvsOf(loaded: LoadedConfig): UserCommand['argv'][] {
  return commandsOf(loaded).map(({ argv }) => argv);
}

/** Where agents write, and where programs are looked for. */
export function reachOf({ config }: LoadedConfig, env: NodeJS.ProcessEnv): Reach {
  return { workDir: config.runtime.work_dir, logDir: config.runtime.log_dir, path: env.PATH };
}
