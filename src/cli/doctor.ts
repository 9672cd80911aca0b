import { type Status, WITHOUT_CONFIGURATION } from '../doctor/check.ts';
import { type DoctorReport, examine } from '../doctor/doctor.ts';
import { hostFacts } from '../doctor/host.ts';
import { memorySignal } from '../host/memory/signal.ts';
import { isolationFacts } from '../process/isolation.ts';
import { defenses } from '../serve/defenses.ts';
import { systemClock } from '../util/clock.ts';
import { exitCode } from '../util/exit-codes.ts';
import { print, printJson, styling } from './output.ts';
import type { GlobalOptions } from './verbs.ts';

interface DoctorOptions extends GlobalOptions {
  rounds: number;
}

export async function runDoctor({ config, json, color, rounds }: DoctorOptions): Promise<number> {
  const { leaf } = await isolationFacts();
  const report = await examine({
    configPath: config,
    rounds,
    env: process.env,
    clock: systemClock,
    host: hostFacts((loaded) => defenses(loaded, { hasProc: process.platform === 'linux', hasFifo: true, leaf, memory: memorySignal() })),
  });
  if (json) printJson(report);
  else for (const line of linesOf(report, styling(color))) print(line);
  return exitCode(report.ok ? 'ok' : 'failure');
}

const LOOKS: Record<Status, { word: string; style: 'green' | 'dim' | 'yellow' | 'red' }> = {
  ok: { word: 'ok', style: 'green' },
  info: { word: 'info', style: 'dim' },
  skipped: { word: 'skipped', style: 'dim' },
  warning: { word: 'warning', style: 'yellow' },
  failed: { word: 'FAILED', style: 'red' },
};

/** One line a check, its remedy behind it; then the sum. */
function linesOf({ checks, counts, ok }: DoctorReport, style: ReturnType<typeof styling>): string[] {
  const width = Math.max(...checks.map(({ name }) => name.length));
  const looked = checks.filter(({ status, summary }) => status !== 'skipped' || summary !== WITHOUT_CONFIGURATION);
  const lines = looked.map(({ name, of, status, summary, remedy, code }) => {
    const { word, style: format } = LOOKS[status];
    const subject = of === null || summary.includes(of) ? '' : `${of}: `;
    const behind = `${code === null ? '' : ` [${code}]`}${remedy === null || remedy === '' ? '' : ` -> ${remedy}`}`;
    return `${style(format, word.padEnd(7))}  ${name.padEnd(width)}  ${`${subject}${summary}${behind}`.replace(/\s*\n\s*/g, ' ')}`;
  });
  const sum = ok
    ? counts.warning === 0
      ? 'all is well'
      : `nothing failed, ${counts.warning} warning(s)`
    : `${counts.failed} check(s) FAILED, ${counts.warning} warning(s)`;
  const left = checks.length - looked.length;
  if (left > 0) lines.push(`${style('dim', 'skipped')}  ${left} checks: ${WITHOUT_CONFIGURATION}`);
  return [...lines, '', sum];
}
