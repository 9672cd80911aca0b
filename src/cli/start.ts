import { dirname } from 'node:path';
import { type StartReport, startService } from '../service/start.ts';
import { systemClock } from '../util/clock.ts';
import { note, printJson } from './output.ts';
import { findProjectToSteer, serviceTarget } from './project.ts';
import type { GlobalOptions } from './verbs.ts';

export async function runStart(options: GlobalOptions): Promise<number> {
  const project = findProjectToSteer('start', options);
  const { workDir, configPath } = project.located;
  const report = await startService(serviceTarget(project), workDir ?? dirname(configPath), systemClock);
  note(wordsOf(report));
  if (options.json) printJson(report);
  return 0;
}

function wordsOf({ result, unit, pid, log }: StartReport): string {
  const who = pid === null ? '' : ` (pid ${pid})`;
  if (unit === null) {
    return `serve runs detached${who}, its log is ${log}; nothing starts it again after a crash or a reboot: 'agent-runner install' makes it a service`;
  }
  const words = {
    started: `${unit} is started${who}`,
    starting: `${unit} is starting; 'agent-runner status' says when it is up`,
    queued: `${unit} still finishes its round; systemd starts it again when that has ended`,
    running: `${unit} is running already${who}`,
  };
  return words[result];
}
