import { asInFlight } from '../state/in-flight.ts';
import { readState, readWait } from '../state/serve-state.ts';
import type { Clock } from '../util/clock.ts';
import { seconds } from '../util/duration.ts';
import type { ServiceMode } from './mode.ts';
import { goneWithin, sendSignal } from './running.ts';
import { isUp, mustSystemctl, showUnit } from './systemctl.ts';
import { findOwnService, type Service, type ServiceTarget } from './target.ts';

/** An idle serve stops at once; one that drains a round does not, and nobody should have to watch that. The predecessor's five seconds. */
const CONFIRM_MS = 5_000;
const POLL_MS = 100;

export interface StopReport {
  result: 'not_running' | 'stopped' | 'draining';
  mode: ServiceMode;
  pid: number | null;
  /** The round that is let finish. */
  round_num: number | null;
  waited_s: number;
}

/**
 * Asks serve to stop (the running round finishes) and waits at most 5 s for it. In systemd the manager is asked, or it would start serve
 * again; it is never waited for by systemctl itself, whose time runs out in the middle of a drain. `asked` is told before the wait.
 */
export async function stopService(target: ServiceTarget, clock: Clock, asked: () => void): Promise<StopReport> {
  const service = await findOwnService(target);
  const { serve } = service.facts;
  const since = clock.monotonic();
  const report = (result: StopReport['result']): StopReport => ({
    result,
    mode: service.mode,
    pid: serve?.pid ?? null,
    round_num: result === 'draining' ? (readState(target.paths.inFlight, asInFlight)?.round_num ?? null) : null,
    waited_s: seconds(clock.monotonic() - since),
  });
  if (service.unit !== null) {
    if (!(await isUnitUp(service.unit)) && serve === null) return report('not_running');
    asked();
    await queueStop(service.unit);
    return report((await unitDownWithin(service.unit, CONFIRM_MS, clock)) ? 'stopped' : 'draining');
  }
  if (serve === null) return report('not_running');
  asked();
  // It drains: one more TERM would end the round that it lets finish, and that is what kill is for.
  const told = readWait(target.paths)?.reason === 'draining';
  return report((!told && !sendSignal(serve, 'SIGTERM')) || (await goneWithin(serve, CONFIRM_MS, clock)) ? 'stopped' : 'draining');
}

type Unit = NonNullable<Service['unit']>;

export function queueStop({ kind, name }: Unit): Promise<void> {
  return mustSystemctl(kind, ['--no-block', 'stop', name]);
}

export async function isUnitUp({ kind, name }: Unit): Promise<boolean> {
  return isUp(await showUnit(kind, name));
}

export async function unitDownWithin(unit: Unit, ms: number, clock: Clock): Promise<boolean> {
  const end = clock.monotonic() + ms;
  while (await isUnitUp(unit)) {
    if (clock.monotonic() >= end) return false;
    await clock.sleep(POLL_MS);
  }
  return true;
}
