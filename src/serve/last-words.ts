import { type BatteryVerdict, failureLine } from '../round/checks/battery.ts';
import { tryWriteJson } from '../state/atomic.ts';
import type { Layout } from '../state/layout.ts';
import type { ParkedState, StoppedState } from '../state/serve-state.ts';
import { isoTime } from '../util/clock.ts';
import { exitCode } from '../util/exit-codes.ts';
import type { Logger } from './log.ts';
import { noLongerNeeded } from './person.ts';
import type { LoopEnd } from './world.ts';

/** What no waiting mends is told before the first gate is asked, or it would be known only when a long wait is over. */
export function brokenAtStart(paths: Layout, { verdict, failures }: BatteryVerdict, log: Logger): LoopEnd | null {
  if (verdict !== 'permanent') {
    // Mended since the start before asked for it.
    noLongerNeeded(paths, ['config_broken']);
    return null;
  }
  for (const failure of failures) log.error({ check: failure.name, code: failure.code }, failureLine(failure));
  const [first] = failures;
  return {
    reason: 'config_broken',
    exitCode: exitCode('config'),
    sentence: failures.map(({ reason, code }) => `${reason} [${code}]`).join('; '),
    remedy: `${failures.length === 1 && first !== undefined ? first.remedy : 'mend what the checks name'}, then start serve again`,
    logPath: null,
    roundsCompleted: 0,
  };
}

/** Why serve ends and what helps: on disk for `peek`, on stderr for whoever looks there. */
export function tellEnd(end: LoopEnd, paths: Layout, now: number, log: Logger, park: ParkedState | null): void {
  const { reason, exitCode: exit, sentence, remedy, logPath } = end;
  const stopped: StoppedState = { reason, exit_code: exit, at: isoTime(now), sentence, remedy, log_path: logPath };
  const unwritten = tryWriteJson(paths.stopped, park === null ? stopped : { ...stopped, parked: park });
  if (unwritten !== null) log.warn(unwritten);
  const words = [`serve stops: ${sentence}`, remedy, logPath === null ? null : `log: ${logPath}`].filter(Boolean).join('; ');
  log[exit === 0 ? 'info' : 'error']({ reason, exit_code: exit }, words);
}
