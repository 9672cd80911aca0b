import { readJson, writeJson } from '../state/atomic.ts';
import type { Layout } from '../state/layout.ts';
import type { Outcome } from './outcome.ts';

/** status.json: fields of the Python predecessor, then ours. Absent fields are left out, never null. */
export interface Status {
  round_num: number;
  running: boolean;
  started_at?: string;
  current_phase?: string;
  phase_index?: number;
  last_completed_at?: string;
  last_exit_code?: number;
  last_duration_s?: number;
  last_outcome?: Outcome;
  last_dirty?: boolean;
}

/** The status, or null with the reason when a file is there that nobody can read. */
export function readStatus(paths: Layout): { status: Status | null; recovered: string | null } {
  const read = readJson(paths.status);
  if (read.kind === 'missing') return { status: null, recovered: null };
  if (read.kind === 'corrupt') return { status: null, recovered: read.reason };
  const value = read.value as Partial<Status> | null;
  if (typeof value !== 'object' || value === null || !Number.isInteger(value.round_num)) {
    return { status: null, recovered: 'status.json holds no round_num' };
  }
  return { status: { running: false, ...value } as Status, recovered: null };
}

/** At the start of a round only: the synced record in flight holds the number. */
export function showStatus(paths: Layout, status: Status): void {
  writeJson(paths.status, status, { durable: false });
}
