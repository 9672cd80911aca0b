// What bench/soak.mjs bundles and runs: `serve` itself with a clock that leaps over the delay between two rounds, and a look at this
// process's memory from time to time. Arguments: configuration file, rounds, rounds between two looks, and `mock` for rounds without a process.
import '../src/cli/small-heap.ts';
import { getEventListeners } from 'node:events';
import { startConfig } from '../src/config/in-use.ts';
import { agentBody } from '../src/round/agent-body.ts';
import type { RoundBodyInput, RoundBodyReport } from '../src/round/body.ts';
import { openLog } from '../src/serve/log.ts';
import { NOBODY } from '../src/serve/notifier.ts';
import { serve } from '../src/serve/serve.ts';
import { type Clock, systemClock } from '../src/util/clock.ts';

const [, , config = '', rounds = '0', every = '1', mock = ''] = process.argv;
/** The configured delay between two rounds; nothing else in a round sleeps that long. */
const DELAY_MS = 7_000;

let leaptMs = 0;
const clock: Clock = {
  now: () => systemClock.now() + leaptMs,
  monotonic: () => systemClock.monotonic() + leaptMs,
  async sleep(ms, signal) {
    if (ms < DELAY_MS - 1_500 || ms > DELAY_MS) return systemClock.sleep(ms, signal);
    leaptMs += ms;
  },
};

let begun = 0;
function look(stop: AbortSignal): void {
  const rss = process.memoryUsage.rss();
  globalThis.gc?.();
  const { heapUsed, heapTotal, external } = process.memoryUsage();
  const counts: Record<string, number> = {};
  for (const name of process.getActiveResourcesInfo()) counts[name] = (counts[name] ?? 0) + 1;
  const listeners = process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), getEventListeners(stop, 'abort').length);
  console.log(JSON.stringify({ round: begun, rss, heap_used: heapUsed, heap_total: heapTotal, external, listeners, resources: counts }));
}

function emptyRound(): RoundBodyReport {
  const receipt = {
    ...{ members: [], escaped: [], signalled: [], leftovers: [], survivors: [], survivorIdentities: [] },
    ...{ containerId: null, durationMs: 1, leaf: null },
  };
  return {
    run: {
      ...{ end: 'exit', leader: null, exitCode: 0, signal: null, spawnError: null, problem: null, durationMs: 61_000, outputBytes: 100 },
      ...{ droppedBytes: 0, leafMemory: null, memoryExceededBytes: null, logError: null, resultSeen: true, tail: 'done', receipt },
    },
    turn: { finished: true, success: true, error: null, usage: null },
    identity: 'agent.sh',
    container: null,
  } as unknown as RoundBodyReport;
}

async function body(input: RoundBodyInput): Promise<RoundBodyReport> {
  begun += 1;
  if (begun % Number(every) === 0 || begun === 10) look(input.stop);
  return mock === 'mock' ? emptyRound() : agentBody(input);
}

process.exitCode = await serve({
  start: startConfig(config),
  body,
  once: false,
  park: false,
  ignoreSchedule: false,
  maxRounds: Number(rounds),
  clock,
  env: process.env,
  log: await openLog(clock, 'silent', false, false),
  banner() {},
  notifier: NOBODY,
  isShuttingDown: async () => false,
  describe: () => ({ sentence: '', command: null }) as never,
  prepared: { leaves: null, facts: { available: false, reason: 'a benchmark', kill: false, memory: false, folder: null } },
});
