import { nextDue } from '../schedule/verdict.ts';
import { openWeek, overlap } from '../schedule/week.ts';
import type { Draft } from './draft.ts';
import type { KeyPath, Report } from './problems.ts';
import type { Schedule } from './schema.ts';

/** Any moment would do: what never opens does so at no time. */
const SOME_MOMENT = Date.UTC(2026, 0, 1);

interface Place {
  path: KeyPath;
  schedule: Schedule;
}

/** A schedule that no round could ever start by is a slip, which a night of waiting would show too late. */
export function scheduleOpens({ schedule: base, phases, overrides }: Draft, report: Report): void {
  const named = phases.list ?? [];
  const own = named.flatMap((name) => placeOf(name, base, overrides) ?? []);
  const places = own.length < named.length || named.length === 0 ? [{ path: ['schedule'], schedule: complete(base) }, ...own] : own;
  const closed = places.filter(({ schedule }) => !opens(schedule));
  // Where another phase is taken instead, closing one for good is a way to switch it off.
  if (phases.phase_policy === 'skip' && closed.length < places.length) return;
  for (const { path, schedule } of closed) {
    const byCron = schedule.cron.length > 0 && openWeek(schedule).length > 0;
    report({
      code: 'AR-CFG-052',
      path: [...path, byCron ? 'cron' : 'pause_windows'],
      at: 'value',
      message: byCron
        ? 'no start lies within the windows: no round would ever start'
        : 'these cover all run windows: no round would ever start',
      remedy: 'Leave some time open. To pause for a while there is `agent-runner pause`.',
    });
  }
}

/**
 * Phases with an agent and windows of their own were meant to share out the hours; where their windows overlap the rotation decides.
 * A warning, as in the predecessor's 0.2.23: its 0.3 refused to start, which a file of 0.2.21 does not expect.
 */
export function phaseWindowOverlap({ schedule: base, phases, overrides }: Draft, warn: Report): void {
  const sharing = (phases.list ?? []).filter((name) => overrides[name]?.agent !== undefined && overrides[name].schedule !== undefined);
  for (const [index, name] of sharing.entries()) {
    const place = placeOf(name, base, overrides);
    const other = sharing.slice(0, index).find((earlier) => overlaps(place, placeOf(earlier, base, overrides)));
    if (place === null || other === undefined) continue;
    warn({
      code: 'AR-CFG-053',
      path: place.path,
      at: 'key',
      message: `shares hours with phases.${other}.schedule: in those the rotation decides which of the two agents runs`,
      remedy: 'Give each hour to one phase, if that was meant.',
    });
  }
}

/** Windows of different zones cannot be laid over each other for good: their distance changes. Then nothing is said. */
function overlaps(one: Place | null, other: Place | null): boolean {
  if (one === null || other === null || one.schedule.timezone !== other.schedule.timezone) return false;
  return overlap(openWeek(one.schedule), openWeek(other.schedule));
}

function placeOf(name: string, base: Draft['schedule'], overrides: Draft['overrides']): Place | null {
  const own = Object.hasOwn(overrides, name) ? overrides[name]?.schedule : undefined;
  return own === undefined ? null : { path: ['phases', name, 'schedule'], schedule: complete({ timezone: base.timezone ?? null, ...own }) };
}

/** A key that could not be read leaves more time open, never less: no wrong alarm. */
function complete(schedule: Draft['schedule']): Schedule {
  return { timezone: null, run_windows: [], pause_windows: [], cron: [], ...schedule };
}

function opens(schedule: Schedule): boolean {
  if (schedule.cron.length > 0) return nextDue(schedule, SOME_MOMENT).at !== null;
  return openWeek(schedule).length > 0;
}
