import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { LoadedConfig } from '../config/load.ts';
import { homeFolder } from '../config/paths.ts';
import { writeAtomic } from '../state/atomic.ts';
import { layout } from '../state/layout.ts';
import type { Clock } from '../util/clock.ts';
import { errnoOf, RunnerError } from '../util/errors.ts';
import { version } from '../util/package.ts';
import { agentWarnings, envFileOf, lingerProblem, needsPrivileges, requireManager, servicePath, systemUser } from './install-checks.ts';
import { ownProgram } from './program.ts';
import { alreadyRuns } from './start.ts';
import { type StartResult, startUnit } from './start-unit.ts';
import { stopBudget } from './stop-budget.ts';
import { mustSystemctl, showUnit } from './systemctl.ts';
import { findService, type ServiceTarget } from './target.ts';
import { findUnit, unitPath } from './unit-file.ts';
import { unitName } from './unit-text.ts';
import { renderUnit, type UnitKind } from './units.ts';

export interface InstallReport {
  mode: 'systemd_user' | 'systemd_system';
  unit: string;
  unit_file: string;
  /** Null: a system service is left for root to start. */
  result: StartResult | null;
  /** Seconds that a graceful stop may take. */
  stop_budget_s: number;
  /** Where secrets belong. */
  env_file: string;
  warnings: string[];
}

export interface InstallOptions {
  kind: UnitKind;
  force: boolean;
  clock: Clock;
  /** Told at once: what follows may fail. */
  warn(words: string): void;
}

/**
 * Writes the unit of a project, enables it and, for a user, starts it. Nothing is written before every check has passed: the manager
 * answers, the user lingers, the name is free, no serve runs outside, everything can stand in a unit.
 */
export async function installService(loaded: LoadedConfig, { kind, force, clock, warn }: InstallOptions): Promise<InstallReport> {
  const { config, project, path: configPath } = loaded;
  const { work_dir: workDir, log_dir: logDir } = config.runtime;
  const target = { paths: layout(logDir), project, configPath };
  const warnings: string[] = [];
  const remark = (words: string) => {
    warnings.push(words);
    warn(words);
  };
  const mayBeForced = (problem: RunnerError | null) => {
    if (problem === null) return;
    if (!force) throw problem;
    remark(`${problem.message}; ${problem.remedy}`);
  };

  const account = kind === 'system' ? await systemUser(workDir) : { user: '', group: '', home: homeFolder() };
  await requireManager(kind);
  if (kind === 'user') mayBeForced(await lingerProblem());
  mayBeForced(foreignUnit(kind, target));
  await refuseSecondService(kind, target);

  const path = servicePath(process.env.PATH, account.home, (folder) => statSync(folder, { throwIfNoEntry: false })?.isDirectory() ?? false);
  const { node, script } = ownProgram();
  const stopS = stopBudget(config).seconds;
  const privileges = needsPrivileges(config);
  const text = renderUnit({
    kind,
    project,
    version: version(),
    node,
    script,
    config: configPath,
    workDir,
    logDir,
    path,
    user: account.user,
    group: account.group,
    stopS,
    needsPrivileges: privileges,
  });
  const envFile = envFileOf(kind, project);
  for (const words of agentWarnings(config, path)) remark(words);
  if (envFile.warning !== null) remark(envFile.warning);
  if (/\/_npx\//.test(script)) remark(`${script} lies in npx's cache, which npm empties: install agent-runner for good first`);

  const name = unitName(project);
  const file = writeUnit(kind, project, text);
  await mustSystemctl(kind, ['daemon-reload']);
  mayBeForced(stopTooShort(name, stopS, (await showUnit(kind, name)).timeoutStopS));
  await mustSystemctl(kind, ['enable', name]);
  const result = kind === 'user' ? await startUnit({ kind, name }, target, clock) : null;
  return {
    mode: kind === 'user' ? 'systemd_user' : 'systemd_system',
    unit: name,
    unit_file: file,
    result,
    stop_budget_s: stopS,
    env_file: envFile.path,
    warnings,
  };
}

function foreignUnit(kind: UnitKind, { project, configPath }: ServiceTarget): RunnerError | null {
  const unit = findUnit(kind, project, configPath);
  if (unit === null || unit.ours) return null;
  return new RunnerError({
    code: 'AR-SVC-003',
    message: `${unit.path} is ${unit.config === null ? 'not written by agent-runner' : `the unit of ${unit.config}`}`,
    remedy: 'rename one of the two project folders, or replace the unit with --force',
  });
}

/** Two services of one project would fight for its lock; a serve that runs by itself would do the same to the new one. */
async function refuseSecondService(kind: UnitKind, target: ServiceTarget): Promise<void> {
  const { facts } = await findService(target);
  if (facts.serve !== null && facts.runsIn === null) throw alreadyRuns(facts.serve.pid);
  const other = kind === 'user' ? facts.systemUnit : facts.userUnit;
  if (other === null) return;
  throw new RunnerError({
    code: 'AR-SVC-003',
    message: `${other} runs this project already, as a ${kind === 'user' ? 'system' : 'user'} service`,
    remedy: '`agent-runner uninstall` takes it away',
  });
}

function stopTooShort(name: string, needed: number, allowed: number): RunnerError | null {
  if (allowed >= needed) return null;
  return new RunnerError({
    code: 'AR-SVC-012',
    message: `a drop-in of ${name} sets TimeoutStopSec to ${allowed} s; a graceful stop may take ${needed} s`,
    remedy: 'take the line out of the drop-in, or shorten round_timeout_s',
  });
}

function writeUnit(kind: UnitKind, project: string, text: string): string {
  const path = unitPath(kind, project);
  if (path === null) throw new RunnerError({ code: 'AR-SVC-007', message: 'this user has no home folder for units', remedy: 'set HOME' });
  try {
    if (!existsSync(dirname(path))) mkdirSync(dirname(path), { recursive: true });
    writeAtomic(path, text);
    return path;
  } catch (cause) {
    throw new RunnerError({
      code: 'AR-SVC-007',
      message: `${path} cannot be written: ${errnoOf(cause) ?? cause}`,
      remedy: 'give this user write permission there, or run it with sudo for a system service',
      cause,
    });
  }
}
