import type { LoadedConfig } from '../config/load.ts';
import type { Emit } from '../events/emit.ts';
import type { Repo } from '../git/repo.ts';
import { containerWarnings } from '../round/container-warnings.ts';
import { unsurePrices } from '../round/counted-agents.ts';
import { startWarnings } from '../round/start-warnings.ts';
import type { Layout } from '../state/layout.ts';
import { otherUser } from '../state/used-by.ts';
import { tellCgroupMemory } from './tell-cgroup.ts';

interface Start {
  loaded: LoadedConfig;
  paths: Layout;
  repo: Repo;
  env: NodeJS.ProcessEnv;
  emit: Emit;
  /** Rounds have control groups with a memory controller. */
  leafMemory: boolean;
}

/** All that is no reason not to start and that a person should know, one line each. */
export async function wordsAtStart({ loaded, paths, repo, env, emit, leafMemory }: Start): Promise<string[]> {
  const advice = tellCgroupMemory(loaded, leafMemory, emit);
  const other = otherUser(paths, loaded.config.runtime.work_dir);
  return [
    ...(advice === null ? [] : [`control group of serve: ${advice}`]),
    ...(await containerWarnings(loaded, env)),
    ...(await unsurePrices(loaded)),
    ...(other === null ? [] : [`this log_dir was used for ${other} before: two projects must not share one`]),
    ...(await startWarnings(loaded, repo)),
  ];
}
