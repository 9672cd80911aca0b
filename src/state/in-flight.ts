import { writeJson } from './atomic.ts';
import { containerIn, type InFlightContainer } from './in-flight-container.ts';
import type { Layout } from './layout.ts';
import { loadState } from './load-state.ts';
import { removeFile } from './remove.ts';
import type { SetAside } from './set-aside.ts';

/**
 * `round-in-flight.json`: made durable BEFORE the agent is spawned, completed right after, removed when the receipt is clean. Found at
 * a start it means that the supervisor died, and says how to find whatever still lives of its round.
 */
export interface InFlight {
  round_num: number;
  round_id: string;
  /** The value of the variable that every process of the round carries in its environment. */
  token: string;
  owner: string;
  config_digest?: string;
  /** ISO, UTC. */
  started_at: string;
  /** Of the supervisor; a pid of another boot or another pid namespace means nothing. */
  boot_id?: string | null;
  pid_ns?: string | null;
  supervisor_pid?: number;
  log_path?: string;
  /** Identity of the agent that runs, and the account in whose place it does. */
  agent?: string;
  stands_in_for?: string;
  /** Absent until the process exists: look by token then. */
  pid?: number;
  start_ticks?: number;
  /** Processes that outlived the end of the round; the next try to end them finds them by this. */
  survivors?: { pid: number; start_ticks: number }[];
  /** Folder of the round's own control group, where it has one. */
  leaf?: string;
  /** Known before the spawn; null for an agent that runs in no container. */
  container: InFlightContainer | null;
}

export function writeInFlight(paths: Pick<Layout, 'inFlight'>, record: InFlight): void {
  writeJson(paths.inFlight, record);
}

/** The record of a round whose supervisor died, or null. An unusable one is set aside and told to `report`. */
export function readInFlight(paths: Pick<Layout, 'inFlight'>, report: (found: SetAside) => void = () => {}): InFlight | null {
  return loadState(paths.inFlight, asInFlight, report);
}

export function clearInFlight(paths: Pick<Layout, 'inFlight'>): void {
  removeFile(paths.inFlight);
}

/** Tolerant: what has not the shape of a record is null, a pid that could not be one (0, 1, negative, `true`) is left out. */
export function asInFlight(value: unknown): InFlight | null {
  if (typeof value !== 'object' || value === null) return null;
  const at = value as Record<string, unknown>;
  if (!isCount(at.round_num) || !isWord(at.round_id) || !isWord(at.token)) return null;
  const record: InFlight = {
    round_num: at.round_num,
    round_id: at.round_id,
    token: at.token,
    owner: isWord(at.owner) ? at.owner : '',
    started_at: isWord(at.started_at) ? at.started_at : '',
    container: containerIn(at.container),
  };
  if (isWord(at.config_digest)) record.config_digest = at.config_digest;
  if (isWord(at.boot_id)) record.boot_id = at.boot_id;
  if (isWord(at.pid_ns)) record.pid_ns = at.pid_ns;
  if (isCount(at.supervisor_pid)) record.supervisor_pid = at.supervisor_pid;
  if (isWord(at.log_path)) record.log_path = at.log_path;
  if (isWord(at.agent)) record.agent = at.agent;
  if (isWord(at.stands_in_for)) record.stands_in_for = at.stands_in_for;
  if (isCount(at.pid) && at.pid > 1) record.pid = at.pid;
  if (isCount(at.start_ticks)) record.start_ticks = at.start_ticks;
  if (isWord(at.leaf)) record.leaf = at.leaf;
  if (Array.isArray(at.survivors)) record.survivors = at.survivors.flatMap(survivorIn);
  return record;
}

function survivorIn(value: unknown): { pid: number; start_ticks: number }[] {
  if (typeof value !== 'object' || value === null) return [];
  const { pid, start_ticks } = value as Record<string, unknown>;
  return isCount(pid) && pid > 1 && isCount(start_ticks) && start_ticks > 0 ? [{ pid, start_ticks }] : [];
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function isWord(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
