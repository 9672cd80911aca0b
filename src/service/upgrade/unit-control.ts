import type { Clock } from '../../util/clock.ts';
import { RunnerError } from '../../util/errors.ts';
import { startUnit } from '../start-unit.ts';
import { isUnitUp, queueStop, unitDownWithin } from '../stop.ts';
import { showUnit } from '../systemctl.ts';
import type { Service, ServiceTarget } from '../target.ts';
import type { ServiceControl } from './control.ts';

/** What the manager still needs after the unit's own patience: the kill, and its own bookkeeping. */
const BEYOND_STOP_S = 15;

/** systemd's hold on the unit of a project. A stop is waited for as long as the unit grants a round to finish. */
export function unitControl(unit: NonNullable<Service['unit']>, target: ServiceTarget, clock: Clock): ServiceControl {
  const { kind, name } = unit;
  return {
    restartCommand: `systemctl --${kind} restart ${name.includes('\\') ? `'${name}'` : name}`,
    isActive: () => isUnitUp(unit),
    async stop() {
      const { timeoutStopS } = await showUnit(kind, name);
      await queueStop(unit);
      if (await unitDownWithin(unit, (timeoutStopS + BEYOND_STOP_S) * 1000, clock)) return;
      throw new RunnerError({
        code: 'AR-UPG-011',
        message: `${name} did not stop within ${timeoutStopS} s`,
        remedy: '`agent-runner status` says what it does; nothing was changed',
      });
    },
    async start() {
      await startUnit(unit, target, clock);
    },
  };
}
