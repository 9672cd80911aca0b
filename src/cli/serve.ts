import './small-heap.ts';
import { startConfig } from '../config/in-use.ts';
import { prepareLeaves } from '../process/isolation.ts';
import { agentBody } from '../round/agent-body.ts';
import type { Defense } from '../serve/defenses.ts';
import { type Logger, openLog } from '../serve/log.ts';
import { mustPark } from '../serve/park.ts';
import { parkBroken } from '../serve/park-broken.ts';
import { serve } from '../serve/serve.ts';
import { refuseInsideRound } from '../service/inside-round.ts';
import { isShuttingDown } from '../service/shutdown.ts';
import { systemClock } from '../util/clock.ts';
import { RunnerError } from '../util/errors.ts';
import { printError } from './errors.ts';
import { wordsOfPeek } from './serve-words.ts';
import { openServiceNotifier } from './service-notifier.ts';
import type { GlobalOptions } from './verbs.ts';
import { printWarnings } from './warnings.ts';

interface ServeOptions extends GlobalOptions {
  once: boolean;
  maxRounds: number | null;
  ignoreSchedule: boolean;
  park: boolean;
}

export async function runServe(options: ServeOptions): Promise<number> {
  const isTerminal = process.stderr.isTTY === true && !process.env.JOURNAL_STREAM && !options.json;
  const log = await openLog(systemClock, process.env.AGENT_RUNNER_LOG_LEVEL ?? 'info', isTerminal, options.color);
  try {
    return await wireServe(options, log, isTerminal);
  } catch (error) {
    if (!(error instanceof RunnerError) || !mustPark(options.park, error.exitCode)) throw error;
    printError(error, options.json);
    return await parkBroken(error, options.config, systemClock, log);
  }
}

/** `agent-runner serve`: wires the bodies that a round can have into the loop. */
async function wireServe(options: ServeOptions, log: Logger, isTerminal: boolean): Promise<number> {
  const start = startConfig(options.config);
  const { loaded } = start.inUse;
  refuseInsideRound('serve', loaded.config.runtime.log_dir);
  printWarnings(loaded.warnings, (words) => log.warn(words));
  const notifier = openServiceNotifier(options, log);
  try {
    return await serve({
      start,
      body: agentBody,
      once: options.once,
      ignoreSchedule: options.ignoreSchedule,
      park: options.park,
      maxRounds: options.maxRounds,
      clock: systemClock,
      env: process.env,
      log,
      banner: isTerminal ? (guards) => void printBanner(guards) : (guards) => log.info({ guards: summary(guards) }, 'guards on this host'),
      notifier,
      isShuttingDown,
      describe: (stopped) => wordsOfPeek(options, stopped),
      prepared: await prepareLeaves(),
    });
  } finally {
    await notifier.close();
  }
}

async function printBanner(guards: readonly Defense[]): Promise<void> {
  const { default: Table } = await import('cli-table3');
  const table = new Table({ head: ['guard', 'state', 'rule'], style: { head: [], border: [], compact: true } });
  for (const { name, current_state: state, value } of guards) table.push([name, state, value]);
  process.stderr.write(`${table.toString()}\n`);
}

function summary(guards: readonly Defense[]): Record<string, string> {
  return Object.fromEntries(guards.map(({ name, current_state: state }) => [name, state]));
}
