import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { serviceStatus } from '../../service/status.ts';
import { type Finding, projectCheck } from '../check.ts';
import { composeGraceS, unitStopS } from '../stop-patience.ts';

const COMPOSE_FILES = ['docker-compose.yml', 'docker-compose.yaml', 'compose.yml', 'compose.yaml'];

export const stopBudget = projectCheck(
  'stop_budget',
  'the longest that a stop may take, against the patience of the unit (`TimeoutStopSec`) and of compose (`stop_grace_period`)',
  async ({ loaded, target }, { host, configPath, clock }) => {
    const budget = host.stopBudgetS(loaded);
    const { unit_file: unit } = await serviceStatus(target, clock.now());
    const files = [
      ...(unit === null ? [] : [{ path: unit, key: 'TimeoutStopSec', patience: unitStopS }]),
      ...composeFiles([loaded.config.runtime.work_dir, dirname(configPath)]).map((path) => ({
        path,
        key: 'stop_grace_period',
        patience: composeGraceS,
      })),
    ];
    const findings = files.flatMap(({ path, key, patience }): Finding[] => {
      const given = patience(read(path));
      if (given === 'no concern') return [];
      const facts = { file: path, key, given_s: given === Number.POSITIVE_INFINITY ? null : given, budget_s: budget };
      if (given !== null && given >= budget)
        return [{ status: 'ok', of: path, summary: `${key} ${given} s is enough for ${budget} s`, facts }];
      const found = given === null ? `no ${key}` : `${key} ${given} s`;
      return [
        {
          status: 'failed',
          of: path,
          summary: `${path} has ${found}, and a stop may take ${budget} s: the round would be killed in the middle`,
          remedy:
            key === 'TimeoutStopSec'
              ? "'agent-runner install' renders the unit anew."
              : `Write stop_grace_period: ${budget}s for this service; 'agent-runner init --compose' renders a file that has it.`,
          facts,
        },
      ];
    });
    if (findings.length > 0) return findings;
    return [
      {
        status: 'ok',
        summary: `a stop takes at most ${budget} s; there is no unit and no compose file here to compare it with`,
        facts: { budget_s: budget },
      },
    ];
  },
);

function composeFiles(folders: readonly string[]): string[] {
  const paths = [...new Set(folders)]
    .flatMap((folder) => [folder, join(folder, 'deploy')])
    .flatMap((folder) => COMPOSE_FILES.map((name) => join(folder, name)));
  return paths.filter((path) => existsSync(path));
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8').slice(0, 1024 * 1024);
  } catch {
    return '';
  }
}
