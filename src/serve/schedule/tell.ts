import { profileFor } from '../../config/profile.ts';
import type { Config } from '../../config/schema.ts';
import type { Emit } from '../../events/emit.ts';
import { judge } from '../../schedule/verdict.ts';
import type { ScheduleWait } from '../../state/serve-state.ts';
import { isoTime } from '../../util/clock.ts';
import type { Obstacle } from '../gates/gate.ts';
import { secondsSince } from '../wait.ts';
import type { StartKeeper } from './starts.ts';

/** Tells by events when the schedule holds rounds back and when it does no longer. */
export interface ScheduleTeller {
  /** At each look at the gates: the schedule's obstacle if that is what is waited for, else null. */
  look(obstacle: Obstacle | null, config: Config, now: number): void;
  /** A round starts, whether the window is open or a person said so: what is waited for after it is told anew. */
  roundStarts(config: Config, now: number): void;
}

export function tellSchedule(emit: Emit, starts: Pick<StartKeeper, 'lastStart'>): ScheduleTeller {
  let told: { since: string; until: number | null; window: ScheduleWait } | null = null;

  /** A word of a person, a limit that lasts longer or a stop opens no window: then the pause stays the newest word. */
  const resumeIfOpen = (config: Config, now: number) => {
    if (told === null) return;
    const { schedule } = profileFor(config, told.window.phase);
    if (!judge(schedule, now, starts.lastStart(schedule)).open) return;
    emit('schedule_resumed', { paused_for_s: secondsSince(told.since, now) });
    told = null;
  };

  return {
    look(obstacle, config, now) {
      const { until, window } = obstacle ?? {};
      if (window === undefined || until === undefined) {
        resumeIfOpen(config, now);
        return;
      }
      if (told !== null && told.until === until && isSame(told.window, window)) return;
      const { active_window, timezone, phase } = window;
      const resumeAt = until === null ? null : isoTime(until);
      emit('schedule_paused', { active_window, resume_at: resumeAt, timezone, ...(phase === null ? {} : { phase }) });
      told = { since: told?.since ?? isoTime(now), until, window };
    },
    roundStarts(config, now) {
      resumeIfOpen(config, now);
      told = null;
    },
  };
}

function isSame(one: ScheduleWait, other: ScheduleWait): boolean {
  return one.active_window === other.active_window && one.timezone === other.timezone && one.phase === other.phase;
}
