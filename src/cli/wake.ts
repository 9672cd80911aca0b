import { wake } from '../service/wake.ts';
import { systemClock } from '../util/clock.ts';
import { note, printJson } from './output.ts';
import { findProjectToSteer } from './project.ts';
import type { GlobalOptions } from './verbs.ts';

export async function runWake(options: GlobalOptions): Promise<number> {
  const { paths } = findProjectToSteer('wake', options);
  const report = await wake(paths, systemClock.now());
  if (report.paused) note("serve is paused by a person: 'agent-runner resume' ends that");
  else if (report.reason === 'schedule') note('the wait (schedule) is ended: one round starts, and then the schedule holds again');
  else if (report.reason === 'budget')
    note("serve waits because a limit is used up, and wake ends no limit: 'agent-runner ack budget' counts anew");
  else note(report.reason === null ? 'serve was not waiting; it has been told all the same' : `the wait (${report.reason}) is ended`);
  if (report.limited.length > 0) note(`the waits of all accounts are ended too: ${report.limited.join(', ')} will be tried again`);
  if (options.json) printJson(report);
  return 0;
}
