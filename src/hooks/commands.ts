import { isAbsolute } from 'node:path';
import type { LoadedConfig } from '../config/load.ts';
import type { Reach } from './programs.ts';
import type { HookKind } from './run.ts';

export interface UserCommand {
  kind: HookKind;
  argv: readonly [string, ...string[]];
}

/** Every command that this configuration wants to be run on behalf of the user. */
export function commandsOf({ config }: Pick<LoadedConfig, 'config'>): UserCommand[] {
  const { command } = config.notify;
  return [
    ...(['serve_start', 'pre_round', 'post_round'] as const).flatMap((kind) => config.hooks[kind].map((argv) => ({ kind, argv }))),
    ...(command === null ? [] : [{ kind: 'notify', argv: command } as const]),
  ];
}

/** The same and what is loaded into the supervisor itself: everything whose rewriting would run as the supervisor. */
export function watchedOf(loaded: LoadedConfig): { kind: HookKind | 'adapter'; argv: readonly [string, ...string[]] }[] {
  const { agent, phases } = loaded.config;
  const agents = [agent, ...Object.values(phases.overrides).flatMap((phase) => phase.agent ?? [])];
  const adapters = agents.flatMap((one) => [one.adapter, ...one.fallback.map(({ adapter }) => adapter)]);
  const modules = [...new Set(adapters)].filter((adapter) => adapter !== null && isAbsolute(adapter)) as string[];
  return [...commandsOf(loaded), ...modules.map((path) => ({ kind: 'adapter', argv: [path] }) as const)];
}

export function watchedArgvs(loaded: LoadedConfig): (readonly string[])[] {
  return watchedOf(loaded).map(({ argv }) => argv);
}

/** Where agents write, and where programs are looked for. */
export function reachOf({ config }: LoadedConfig, env: NodeJS.ProcessEnv): Reach {
  return { workDir: config.runtime.work_dir, logDir: config.runtime.log_dir, path: env.PATH };
}
