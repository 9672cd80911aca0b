import type { LoadedConfig } from '../../config/load.ts';
import type { Profile } from '../../config/profile.ts';
import type { TreeState } from '../../git/tree.ts';

export interface CheckContext {
  loaded: LoadedConfig;
  /** The base profile first, then one per phase that brings an agent or a prompt of its own. */
  profiles: { label: string; profile: Profile }[];
  /** The PATH and everything else that agents will get, before `[agent.env]`. */
  env: NodeJS.ProcessEnv;
  /** What git says of work_dir now. */
  tree: TreeState;
}

export type CheckResult =
  | { name: string; ok: true }
  | {
      name: string;
      ok: false;
      /** Permanent: no waiting mends it, stop with 78. Otherwise the environment may recover: 76. */
      permanent: boolean;
      code: string;
      reason: string;
      remedy: string;
      /** Long facts, told behind the remedy where there is room for them. */
      detail?: string;
    };

export type Check = (context: CheckContext) => CheckResult[] | Promise<CheckResult[]>;

export const pass = (name: string): CheckResult => ({ name, ok: true });
