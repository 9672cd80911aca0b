import { type MetricsMoment, recordMetrics } from '../events/metrics.ts';
import type { Clock } from '../util/clock.ts';
import { forgetProcesses, sampleHost, sampleProcesses } from './sample.ts';

/**
 * Between two samples of a running round. A round's memory and CPU curve is legible at this distance (a 30 min round has 60 points),
 * it is the monitor's own pace, and one sample costs about 3 ms of CPU: 0.01 % of a core.
 */
export const SAMPLE_EVERY_MS = 30_000;

export interface SamplerOptions {
  logDir: string;
  clock: Clock;
  roundNum: number;
  /** The processes of the round's tree at this moment. */
  pids: () => readonly number[] | Promise<readonly number[]>;
  everyMs?: number;
}

export interface Sampler {
  /** Takes the `round_end` sample and ends. Resolves when it is written; nobody has to wait for it. */
  stop(): Promise<void>;
}

/** Samples host and agent at the start of a round, every 30 s and at its end, beside the round: never throws, never waits for anybody. */
export function startSampler({ logDir, clock, roundNum, pids, everyMs = SAMPLE_EVERY_MS }: SamplerOptions): Sampler {
  const ended = new AbortController();
  let cpu: Awaited<ReturnType<typeof sampleHost>>['cpu'] | null = null;

  const take = async (moment: MetricsMoment) => {
    try {
      const at = clock.now();
      const agent = moment === 'round_end' ? null : await sampleProcesses(await pids());
      const sample = await sampleHost(logDir, cpu);
      cpu = sample.cpu;
      recordMetrics(logDir, at, moment, roundNum, sample.host, agent);
    } catch {
      // A tree that cannot be listed is not worth more than a missing sample.
    }
  };
  const during = async () => {
    await take('round_start');
    for (;;) {
      await clock.sleep(everyMs, ended.signal);
      if (ended.signal.aborted) return;
      await take('sample');
    }
  };
  const running = during();

  return {
    async stop() {
      if (ended.signal.aborted) return;
      ended.abort();
      await running;
      await take('round_end');
      await forgetProcesses().catch(() => {});
    },
  };
}
