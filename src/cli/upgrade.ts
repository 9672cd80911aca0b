import { existsSync } from 'node:fs';
import { locateProject } from '../config/locate.ts';
import type { Emit } from '../events/emit.ts';
import { openEvents } from '../events/writer.ts';
import { refuseInsideRound } from '../service/inside-round.ts';
import { findOwnService, type ServiceTarget } from '../service/target.ts';
import type { ServiceControl } from '../service/upgrade/control.ts';
import { findInstallation } from '../service/upgrade/installation.ts';
import { chooseSource, SOURCE_VARIABLE } from '../service/upgrade/source.ts';
import { unitControl } from '../service/upgrade/unit-control.ts';
import { type UpgradeReport, upgrade } from '../service/upgrade/upgrade.ts';
import { layout } from '../state/layout.ts';
import { systemClock } from '../util/clock.ts';
import { RunnerError } from '../util/errors.ts';
import { type ExitName, exitCode } from '../util/exit-codes.ts';
import { packageRoot } from '../util/package.ts';
import { note, print, printJson } from './output.ts';
import { serviceTarget } from './project.ts';
import type { GlobalOptions } from './verbs.ts';

interface UpgradeOptions extends GlobalOptions {
  target: string | null;
  restart: boolean;
}

/** Exit 1 when the new version did not come up and the old one is back, 2 when that failed too. */
export async function runUpgrade(options: UpgradeOptions): Promise<number> {
  const source = chooseSource(options.target, process.env[SOURCE_VARIABLE], process.cwd());
  const installation = findInstallation(packageRoot());
  const located = locateProject(options.config, options.configGiven);
  const { logDir } = located;
  if (logDir !== null) refuseInsideRound('upgrade', logDir);
  const service = options.restart && logDir !== null ? await serviceOf(serviceTarget({ located, paths: layout(logDir) })) : null;

  // Half an installation is worse than a late end: the signal is heard, and what was begun is finished or undone.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => note('an upgrade is not interrupted; it ends by itself'));
  const report = await upgrade({
    source,
    installation,
    service,
    configPath: existsSync(options.config) ? options.config : null,
    env: process.env,
    clock: systemClock,
    emit: emitTo(logDir),
    note,
  });
  if (options.json) printJson(report);
  else print(wordsOf(report));
  return exitCode(EXITS[report.result]);
}

const EXITS: Record<UpgradeReport['result'], ExitName> = {
  up_to_date: 'ok',
  upgraded: 'ok',
  rolled_back: 'failure',
  rollback_failed: 'usage',
};

/** Who would start serve again; null when it does not run and only the package is to be replaced. */
async function serviceOf(target: ServiceTarget): Promise<ServiceControl | null> {
  const { unit, facts } = await findOwnService(target);
  if (unit !== null) return unitControl(unit, target, systemClock);
  if (facts.serve === null) return null;
  throw new RunnerError({
    code: 'AR-UPG-010',
    message: `serve runs (pid ${facts.serve.pid}) and nobody would start it again`,
    remedy: "'agent-runner stop', upgrade, start it again; --no-restart replaces the package under it",
  });
}

function emitTo(logDir: string | null): Emit {
  return logDir !== null && existsSync(logDir) ? openEvents(logDir, systemClock).emit : () => {};
}

function wordsOf({
  result,
  from_version: from,
  to_version: to,
  failure_reason: reason,
  restarted,
  restart_command: command,
}: UpgradeReport): string {
  switch (result) {
    case 'up_to_date':
      return `${from} is there already`;
    case 'upgraded':
      return `upgraded from ${from} to ${to}${restarted ? '; the service runs again' : command === null ? '' : `; restart the service: ${command}`}`;
    case 'rolled_back':
      return `${to} did not come up: ${reason}; ${from} is back${restarted ? ' and runs again' : ''}`;
    case 'rollback_failed':
      return `${to} did not come up, and ${from} could not be put back: ${reason}`;
  }
}
