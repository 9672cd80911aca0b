import { openEvents } from '../events/writer.ts';
import { resume } from '../service/pause.ts';
import { systemClock } from '../util/clock.ts';
import { note, printJson } from './output.ts';
import { findProjectToSteer } from './project.ts';
import type { GlobalOptions } from './verbs.ts';

export async function runResume(options: GlobalOptions): Promise<number> {
  const { paths } = findProjectToSteer('resume', options);
  const { emit } = openEvents(paths.logDir, systemClock);
  const ended = resume(paths, systemClock.now(), emit);
  note(ended === null ? 'there is no pause to end' : 'the pause is over');
  if (options.json) printJson({ resumed: ended !== null });
  return 0;
}
