import { startConfig } from '../config/in-use.ts';
import { loadConfig } from '../config/load.ts';
import { ConfigProblems, type Problem } from '../config/problems.ts';
import { openRepo } from '../git/repo.ts';
import { treeState } from '../git/tree.ts';
import { profilesToCheck } from '../round/checks/profiles.ts';
import { layout } from '../state/layout.ts';
import { type Clock, isoTime } from '../util/clock.ts';
import { messageOf, RunnerError } from '../util/errors.ts';
import { version } from '../util/package.ts';
import type { DoctorCheck, DoctorContext, Finding, HostFacts, ProjectContext, Status } from './check.ts';
import { CHECKS } from './list.ts';
import { PHASE_PLAN, type PlannedRound } from './plan.ts';

/** `doctor --json`; docs/doctor.md describes it. Fields are only ever added. */
export interface DoctorReport {
  schema_version: '1.0';
  version: string;
  checked_at: string;
  config_path: string;
  project: string | null;
  /** False when a check failed. */
  ok: boolean;
  counts: Record<Status, number>;
  checks: ({ name: string; of: string | null; status: Status; summary: string; remedy: string | null; code: string | null } & {
    facts: Record<string, unknown>;
  })[];
  /** What the next rounds would be; null without a configuration. */
  phase_plan: PlannedRound[] | null;
}

export interface DoctorRequest {
  configPath: string;
  rounds: number;
  env: NodeJS.ProcessEnv;
  clock: Clock;
  host: HostFacts;
}

/** Looks at everything that a round depends on. Starts no agent, changes nothing. */
export async function examine({ configPath, rounds, env, clock, host }: DoctorRequest): Promise<DoctorReport> {
  const { project, problems } = await readProject(configPath, env);
  const context: DoctorContext = { configPath, project, problems, env, clock, platform: process.platform, rounds, host };
  const checks: DoctorReport['checks'] = [];
  for (const check of CHECKS) {
    for (const { status, of = null, summary, remedy = null, code = null, facts = {} } of await safely(check, context))
      checks.push({ name: check.name, of, status, summary, remedy, code, facts });
  }
  const plan = checks.find(({ name }) => name === PHASE_PLAN)?.facts.rounds;
  const count = (status: Status) => checks.filter((check) => check.status === status).length;
  return {
    schema_version: '1.0',
    version: version(),
    checked_at: isoTime(clock.now()),
    config_path: configPath,
    project: project?.loaded.project ?? null,
    ok: count('failed') === 0,
    counts: { ok: count('ok'), info: count('info'), warning: count('warning'), failed: count('failed'), skipped: count('skipped') },
    checks,
    phase_plan: (plan as PlannedRound[] | undefined) ?? null,
  };
}

/** One check that breaks must not hide what the others found. */
async function safely(check: DoctorCheck, context: DoctorContext): Promise<Finding[]> {
  try {
    return await check.run(context);
  } catch (error) {
    const known = error instanceof RunnerError;
    return [
      {
        status: 'failed',
        summary: `the check itself failed: ${messageOf(error).split('\n', 1)[0]}`,
        remedy: known ? (error.remedy ?? '') : 'Please report this.',
        code: known ? error.code : 'AR-DOC-001',
      },
    ];
  }
}

async function readProject(
  configPath: string,
  env: NodeJS.ProcessEnv,
): Promise<{ project: ProjectContext | null; problems: readonly Problem[] }> {
  try {
    const loaded = loadConfig(configPath);
    const paths = layout(loaded.config.runtime.log_dir);
    const tree = await treeState(openRepo(loaded.config.runtime.work_dir, { logDir: paths.logDir, env }));
    const target = { paths, project: loaded.project, configPath };
    return { project: { loaded, inForce: inForce(configPath), paths, target, profiles: profilesToCheck(loaded), tree }, problems: [] };
  } catch (error) {
    if (!(error instanceof ConfigProblems)) throw error;
    return { project: null, problems: error.problems };
  }

  function inForce(path: string): ProjectContext['inForce'] {
    try {
      return startConfig(path).file;
    } catch (error) {
      // The accepted copy is lost, or an agent made a file of which the accepted one is the better: a person has to look either way.
      if (error instanceof RunnerError) return 'suspect';
      throw error;
    }
  }
}
