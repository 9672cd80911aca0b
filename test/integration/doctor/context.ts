import { join } from 'node:path';
import { parseConfig } from '../../../src/config/load.ts';
import type { DoctorContext, HostFacts } from '../../../src/doctor/check.ts';
import { profilesToCheck } from '../../../src/round/checks/profiles.ts';
import { layout } from '../../../src/state/layout.ts';
import { systemClock } from '../../../src/util/clock.ts';
import { testFolder } from '../../support/folder.ts';
import { fileWith } from '../../unit/config/sample.ts';

const NO_CGROUP: HostFacts['cgroup'] = { version: 'none', path: null, folder: null, delegated: false, controllers: [], memory: null };

/** What a check is given, with a folder of its own for everything that it might look at. */
export function contextOf(
  changes: Record<string, readonly string[]> = {},
  host: Partial<HostFacts> = {},
  env: NodeJS.ProcessEnv = { PATH: process.env.PATH },
): DoctorContext & { folder: string; project: NonNullable<DoctorContext['project']> } {
  const folder = testFolder();
  const configPath = join(folder, 'agent-runner.toml');
  const loaded = parseConfig(fileWith({ runtime: ['work_dir = "."', 'log_dir = "logs"'], ...changes }), configPath);
  return {
    folder,
    configPath,
    problems: [],
    project: {
      loaded,
      inForce: 'same',
      paths: layout(loaded.config.runtime.log_dir),
      target: { paths: layout(loaded.config.runtime.log_dir), project: loaded.project, configPath },
      profiles: profilesToCheck(loaded),
      tree: { head: null, dirty: [], fingerprint: '', problem: null, entries: [] },
    },
    env,
    clock: systemClock,
    platform: process.platform,
    rounds: 3,
    host: { containers: async () => [], cgroup: NO_CGROUP, stopBudgetS: () => 100, guards: () => [], ...host },
  };
}
