import { loadConfig } from '../config/load.ts';
import { type DrillReport, drill, type GuardReport } from '../drill/drill.ts';
import { refuseInsideRound } from '../service/inside-round.ts';
import { systemClock } from '../util/clock.ts';
import { humanDuration } from '../util/duration.ts';
import { exitCode } from '../util/exit-codes.ts';
import { note, print, printJson, styling } from './output.ts';
import type { GlobalOptions } from './verbs.ts';

/** Exit 1 when a guard does not work here, 130 when the drill was interrupted. */
export async function runDrill({ config, json, color }: GlobalOptions): Promise<number> {
  const loaded = loadConfig(config);
  refuseInsideRound('drill', loaded.config.runtime.log_dir);
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      note('ending what runs, then removing the scratch folder');
      stop.abort();
    });
  }
  const style = styling(color);
  const report = await drill({
    loaded,
    program: [process.execPath, ...process.execArgv, process.argv[1] ?? ''],
    env: process.env,
    clock: systemClock,
    stop: stop.signal,
    tried: (guard) => {
      if (!json) print(lineOf(guard, style));
    },
  });
  if (json) printJson(report);
  else print(sumOf(report));
  return exitCode(report.interrupted ? 'interrupted' : report.ok ? 'ok' : 'failure');
}

function lineOf({ name, works, detail }: GuardReport, style: ReturnType<typeof styling>): string {
  const word = works === null ? style('dim', 'not tried') : works ? style('green', 'works    ') : style('red', 'FAILS    ');
  return `${word}  ${name.padEnd(20)}  ${detail}`;
}

function sumOf({ guards, interrupted, duration_s, exec_prefix: prefixed, cloned }: DrillReport): string {
  const works = guards.filter((guard) => guard.works === true).length;
  const where = `${prefixed ? 'behind your exec_prefix' : 'on this host'}${cloned ? '' : ', in an empty repository instead of a clone of yours'}`;
  return `\n${works} of ${guards.length} guards work ${where} (${humanDuration(duration_s * 1000)})${interrupted ? '; interrupted' : ''}; nothing of yours was changed`;
}
