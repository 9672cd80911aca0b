import { openEvents } from '../events/writer.ts';
import { survivorNames } from '../round/survivors.ts';
import type { KillReport } from '../service/kill.ts';
import { killService } from '../service/kill-service.ts';
import { systemClock } from '../util/clock.ts';
import { note, printJson } from './output.ts';
import { findProjectToSteer, serviceTarget } from './project.ts';
import type { GlobalOptions } from './verbs.ts';

/** Exit 1 when something survived, or another process has the round by now. */
export async function runKill(options: GlobalOptions): Promise<number> {
  const project = findProjectToSteer('kill', options);
  const { emit } = openEvents(project.paths.logDir, systemClock);
  const report = await killService(serviceTarget(project), systemClock, emit, (pid) => note(`ending everything now (pid ${pid})...`));
  for (const line of linesOf(report)) note(line);
  if (options.json) printJson(report);
  return report.held_by !== null || (report.recovered?.survivors.length ?? 0) > 0 ? 1 : 0;
}

function linesOf({ result, supervisor, stale, recovered, held_by, waited_s }: KillReport): string[] {
  if (result === 'nothing') return ['nothing is running here, and nothing was left over'];
  const lines: string[] = [];
  if (supervisor !== null) {
    const how = supervisor.killed ? 'did not go by itself and was killed' : 'ended its round and stopped';
    lines.push(`${supervisor.kind} (pid ${supervisor.pid}) ${how} (${waited_s.toFixed(1)}s)`);
  }
  if (stale) lines.push('serve had died before; its pid file has been removed');
  if (recovered !== null) {
    const alive = survivorNames(recovered.survivors);
    lines.push(
      `what was left of round ${recovered.roundNum} has been ended${alive === '' ? '; none survived' : `, but these SURVIVED: ${alive}`}`,
    );
  }
  if (held_by !== null) lines.push(`another process has taken over the round meanwhile and was left alone (${held_by})`);
  return lines;
}
