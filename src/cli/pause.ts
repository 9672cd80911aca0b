import { openEvents } from '../events/writer.ts';
import { untilWords } from '../observe/peek/times.ts';
import { pause } from '../service/pause.ts';
import { findServe } from '../service/running.ts';
import { parseUntil, untilProblem } from '../service/until.ts';
import { systemClock } from '../util/clock.ts';
import { RunnerError } from '../util/errors.ts';
import { note, printJson } from './output.ts';
import { findProjectToSteer } from './project.ts';
import type { GlobalOptions } from './verbs.ts';

interface PauseOptions extends GlobalOptions {
  until: string | null;
}

export async function runPause(options: PauseOptions): Promise<number> {
  const now = systemClock.now();
  const until = options.until === null ? null : untilOf(options.until, now);
  const { paths } = findProjectToSteer('pause', options);
  const { emit } = openEvents(paths.logDir, systemClock);
  const state = pause(paths, until, now, emit);
  const running = (await findServe(paths)) !== null;
  note(
    `paused ${until === null ? "until 'agent-runner resume'" : untilWords(until, now)}; ` +
      (running ? 'a round that runs now is let finish' : 'serve is not running now and will wait when it starts'),
  );
  if (options.json) printJson(state);
  return 0;
}

function untilOf(text: string, now: number): number {
  const until = parseUntil(text, now);
  if (until !== null) return until;
  throw new RunnerError({
    code: 'AR-CLI-010',
    message: `--until ${JSON.stringify(text)} ${untilProblem(text, now)}`,
    remedy: "It takes a duration (2h30m), a time of day (14:30, '14:30 Asia/Tokyo') or an ISO time ('2026-11-30T14:30')",
    exit: 'usage',
  });
}
