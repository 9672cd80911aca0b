import { join } from 'node:path';
import { monthlyName } from '../state/layout.ts';
import { isoTime } from '../util/clock.ts';
import { appendLine } from './append.ts';
import { scanBack } from './reader.ts';
import type { StoredEvent } from './stored.ts';

/** The machine, as `system` of `peek --json` shows it. Null: could not be had. */
export interface HostSample {
  mem_total_mb: number | null;
  mem_available_mb: number | null;
  /** Of the file system that holds log_dir. */
  disk_used_pct: number | null;
  disk_free_gb: number | null;
  load_1m: number | null;
  /** Since the sample before, of all cores together, 0-100; null in the first one. */
  cpu_pct: number | null;
}

/** The processes of a round together. `cpu_pct`: 100 is one core, since the sample before (since their start in the first one). */
export interface AgentSample {
  rss_mb: number | null;
  cpu_pct: number | null;
  processes: number;
}

/** `round_start` and `round_end` are the Python predecessor's; `sample` comes between. */
export type MetricsMoment = 'round_start' | 'sample' | 'round_end';

/** Appends one line to `metrics-YYYY-MM.jsonl`; a metric that cannot be written is not worth a word. */
export function recordMetrics(
  logDir: string,
  at: number,
  moment: MetricsMoment,
  roundNum: number,
  host: HostSample,
  agent: AgentSample | null,
): void {
  const line = JSON.stringify({
    ts: isoTime(at),
    event: moment,
    round_num: roundNum,
    ...host,
    agent_process_count: agent?.processes ?? null,
    agent,
  });
  try {
    appendLine(join(logDir, monthlyName('metrics', at)), line);
  } catch {
    // A full disk: the event log tells of it.
  }
}

/** The newest sample of `logDir`, or null. Reads the last few kilobytes only. */
export function lastMetrics(logDir: string): StoredEvent | null {
  let newest: StoredEvent | null = null;
  scanBack(
    logDir,
    (sample) => {
      newest = sample;
      return 'stop';
    },
    { family: 'metrics', maxBytes: 65_536, chunkBytes: 4096 },
  );
  return newest;
}
