import { findSingleRound } from '../service/running.ts';
import { type StopReport, stopService } from '../service/stop.ts';
import { systemClock } from '../util/clock.ts';
import { note, printJson } from './output.ts';
import { findProjectToSteer, serviceTarget } from './project.ts';
import type { GlobalOptions } from './verbs.ts';

export async function runStop(options: GlobalOptions): Promise<number> {
  const project = findProjectToSteer('stop', options);
  const report = await stopService(serviceTarget(project), systemClock, () => note('stopping service...'));
  const single = report.result === 'not_running' ? await findSingleRound(project.paths) : null;
  note(wordsOf(report, single?.pid ?? null));
  if (options.json) printJson(report);
  return 0;
}

/** `stopped (0.3s)` is the predecessor's phrase: scripts look for it. */
function wordsOf({ result, pid, round_num, waited_s }: StopReport, singleRound: number | null): string {
  if (result === 'stopped') return `stopped (${waited_s.toFixed(1)}s)`;
  if (result === 'draining') {
    const round = round_num === null ? 'what it is doing' : `round ${round_num}`;
    return `draining: serve${pid === null ? '' : ` (pid ${pid})`} stops when ${round} has ended; 'agent-runner kill' ends it now`;
  }
  if (singleRound === null) return 'serve is not running: nothing to stop';
  return `serve is not running; a single round is (pid ${singleRound}), and 'agent-runner kill' ends it`;
}
