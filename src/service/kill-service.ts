import type { Emit } from '../events/emit.ts';
import type { Clock } from '../util/clock.ts';
import { type KillReport, killEverything } from './kill.ts';
import { isUnitUp, queueStop, unitDownWithin } from './stop.ts';
import { systemctl } from './systemctl.ts';
import { findOwnService, type ServiceTarget } from './target.ts';

/** What the service manager itself may need to see that everybody is gone. */
const SETTLE_MS = 5_000;

/**
 * `kill` for a serve that may run in a unit: the manager is told first that the end is wanted, or it would start the next serve while we end
 * this one; then everything goes as without systemd; what is left in the unit's control group gets SIGKILL.
 */
export async function killService(target: ServiceTarget, clock: Clock, emit: Emit, asked: (pid: number) => void): Promise<KillReport> {
  const { unit } = await findOwnService(target);
  const up = unit !== null && (await isUnitUp(unit));
  if (up) await queueStop(unit);
  const report = await killEverything(target.paths, clock, emit, asked);
  if (!up) return report;
  if (!(await unitDownWithin(unit, SETTLE_MS, clock))) {
    await systemctl(unit.kind, ['kill', '--signal=SIGKILL', unit.name]);
    await unitDownWithin(unit, SETTLE_MS, clock);
  }
  // It was ended by a person: not a failure to be shown for ever.
  await systemctl(unit.kind, ['reset-failed', unit.name]);
  return { ...report, result: 'ended' };
}
