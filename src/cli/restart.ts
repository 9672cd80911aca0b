import { openEvents } from '../events/writer.ts';
import { type RestartReport, restartService } from '../service/restart.ts';
import { systemClock } from '../util/clock.ts';
import { note, printJson } from './output.ts';
import { findProjectToSteer, serviceTarget } from './project.ts';
import type { GlobalOptions } from './verbs.ts';

interface RestartOptions extends GlobalOptions {
  force: boolean;
}

export async function runRestart(options: RestartOptions): Promise<number> {
  const project = findProjectToSteer('restart', options);
  const { emit } = openEvents(project.paths.logDir, systemClock);
  const asked = () => note('stopping service...');
  const report = await restartService(serviceTarget(project), { force: options.force, clock: systemClock, emit, asked });
  note(wordsOf(report));
  if (options.json) printJson(report);
  return 0;
}

function wordsOf({ unit, result, forced }: RestartReport): string {
  if (result === 'queued')
    return `draining: ${unit} starts again by itself when its round has ended; 'agent-runner restart --force' ends the round now`;
  return `${unit} is ${result === 'starting' ? 'starting' : 'started'} again${forced ? '; the round in flight was ended' : ''}`;
}
