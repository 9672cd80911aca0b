import { writeSync } from 'node:fs';
import pino, { type Logger } from 'pino';
import type { EventFields } from '../events/catalogue.ts';
import type { Emit } from '../events/emit.ts';
import { type Clock, isoTime } from '../util/clock.ts';

export type { Logger };

const STDERR = 2;

/**
 * The daemon's own log on standard error: JSON for a service manager, lines for a person at a terminal. Written synchronously, so that
 * the last words before an exit are not lost, and never fatal: a closed stderr or a full disk costs the line and nothing else.
 */
export async function openLog(clock: Clock, level: string, isTerminal: boolean): Promise<Logger> {
  const render = isTerminal ? await prettyRenderer() : (line: string) => line;
  const destination = {
    write(line: string) {
      try {
        writeSync(STDERR, render(line));
      } catch {
        // EPIPE, EIO of a closed terminal, ENOSPC, EBADF: there is nobody to tell.
      }
    },
  };
  return pino({ level, base: { pid: process.pid }, timestamp: () => `,"time":"${isoTime(clock.now())}"` }, destination);
}

/** A round may take an hour: whoever watches the log sees it begin, not only end. */
export function logRoundStarts(emit: Emit, log: Logger): Emit {
  return (kind, fields) => {
    emit(kind, fields);
    if (kind !== 'round_start') return;
    const { round_num: roundNum, phase } = fields as EventFields<'round_start'>;
    log.info({ round_num: roundNum, phase }, `round ${roundNum}${phase === null ? '' : ` (${phase})`} starts`);
  };
}

async function prettyRenderer(): Promise<(line: string) => string> {
  // A CommonJS module in our bundle has a default export and no other.
  const { default: pinoPretty } = await import('pino-pretty');
  const pretty = pinoPretty.prettyFactory({
    colorize: !process.env.NO_COLOR,
    ignore: 'pid',
    translateTime: 'SYS:HH:MM:ss',
    singleLine: true,
  });
  return (line) => pretty(line) ?? line;
}
