import type { Clock } from '../util/clock.ts';
import { RunnerError } from '../util/errors.ts';
import type { ServiceMode } from './mode.ts';
import { startDetached } from './start-detached.ts';
import { type StartResult, startUnit } from './start-unit.ts';
import { findOwnService, findService, type ServiceTarget } from './target.ts';

export interface StartReport {
  mode: ServiceMode;
  result: StartResult;
  unit: string | null;
  pid: number | null;
  /** Where a detached serve writes; null in systemd, whose journal has it. */
  log: string | null;
}

/** Starts the unit of the project, or without one a detached serve. Throws AR-SVC-004 when serve runs already. */
export async function startService(target: ServiceTarget, workDir: string, clock: Clock): Promise<StartReport> {
  const { facts, mode, unit } = await findOwnService(target);
  const { serve } = facts;
  if (unit !== null) {
    const result = await startUnit(unit, target, clock);
    return { mode, result, unit: unit.name, pid: (await findService(target)).facts.serve?.pid ?? null, log: null };
  }
  if (serve !== null) throw alreadyRuns(serve.pid);
  const pid = await startDetached(target, workDir, clock);
  return { mode: 'pid_file', result: 'started', unit: null, pid, log: target.paths.serveLog };
}

export function alreadyRuns(pid: number): RunnerError {
  return new RunnerError({
    code: 'AR-SVC-004',
    message: `serve is running already (pid ${pid}), without a service manager`,
    remedy: '`agent-runner stop` ends it after its round',
  });
}
