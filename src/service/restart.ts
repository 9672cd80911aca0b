import type { Emit } from '../events/emit.ts';
import type { Clock } from '../util/clock.ts';
import { RunnerError } from '../util/errors.ts';
import { killService } from './kill-service.ts';
import type { ServiceMode } from './mode.ts';
import { type StartResult, startUnit } from './start-unit.ts';
import { stopService } from './stop.ts';
import { mustSystemctl } from './systemctl.ts';
import { findOwnService, type ServiceTarget } from './target.ts';

export interface RestartReport {
  mode: ServiceMode;
  unit: string;
  /** `queued`: the round in flight finishes first, then systemd starts serve again by itself. */
  result: StartResult;
  /** `--force`: the round in flight was ended. */
  forced: boolean;
}

export interface RestartOptions {
  force: boolean;
  clock: Clock;
  emit: Emit;
  asked: () => void;
}

/** Stops and starts the service. Throws AR-SVC-011 without a unit: nothing would start serve again. */
export async function restartService(target: ServiceTarget, { force, clock, emit, asked }: RestartOptions): Promise<RestartReport> {
  const { unit, mode } = await findOwnService(target);
  if (unit === null) throw noUnit(mode);
  if (force) await killService(target, clock, emit, asked);
  else {
    const { result } = await stopService(target, clock, asked);
    if (result === 'draining') {
      await mustSystemctl(unit.kind, ['--no-block', 'start', unit.name]);
      return { mode, unit: unit.name, result: 'queued', forced: false };
    }
  }
  return { mode, unit: unit.name, result: await startUnit(unit, target, clock), forced: force };
}

function noUnit(mode: ServiceMode): RunnerError {
  return new RunnerError({
    code: 'AR-SVC-011',
    message: mode === 'pid_file' ? 'serve runs without a unit: a restart would stop it for good' : 'there is no service to restart',
    remedy:
      mode === 'pid_file'
        ? '`agent-runner stop`, then `agent-runner start`'
        : '`agent-runner start` starts serve, `agent-runner install` makes it a service',
  });
}
