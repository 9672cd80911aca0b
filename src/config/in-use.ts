import { rmSync } from 'node:fs';
import { resolve } from 'node:path';
import type { EventFields } from '../events/catalogue.ts';
import { writeAtomic, writeJson } from '../state/atomic.ts';
import { asInFlight } from '../state/in-flight.ts';
import { type Layout, layout } from '../state/layout.ts';
import { lookAtJson } from '../state/look.ts';
import { readState } from '../state/serve-state.ts';
import { RunnerError } from '../util/errors.ts';
import { ABSENT, type AcceptedRecord, configAfterRound, configAtStart, configBetweenRounds, type Verdict } from './accept.ts';
import { changedKeys } from './changed-keys.ts';
import { digestOf } from './digest.ts';
import { type LoadedConfig, loadConfig, parseConfig } from './load.ts';
import { locateProject } from './locate.ts';
import { ConfigProblems, problemLine } from './problems.ts';
import { readConfigFile } from './read-file.ts';

/** The configuration in force and what is known about the file since. A value: each step below returns the next one. */
export interface ConfigInUse {
  loaded: LoadedConfig;
  record: AcceptedRecord;
}

type Kind = 'config_changed' | 'config_reloaded' | 'config_reload_failed';
type ConfigEvent = { [K in Kind]: { kind: K; fields: EventFields<K> } }[Kind];

export interface ConfigStep {
  inUse: ConfigInUse;
  /** To be emitted, in this order. */
  events: ConfigEvent[];
  /** `suspect`: `ack config` is wanted. `pending`: `reload` or a restart adopts it. */
  file: 'same' | 'pending' | 'suspect';
}

/**
 * The configuration that `serve` and `round` start with; use it instead of loadConfig. Only reads, as nobody holds a lock yet: write
 * with `saveInUse` when one does. `interrupted`: the digest of the round that a dead supervisor left, taken from its record if not given.
 * Throws ConfigProblems (78) when the file that must be used is wrong, AR-CFG-040 when the accepted copy must be used and is lost.
 */
export function startConfig(path: string, interrupted?: string | null): ConfigStep {
  const file = resolve(path);
  const { logDir } = locateProject(file, true);
  if (logDir === null) return fresh(loadConfig(file));
  const paths = layout(logDir);
  const before = readState(paths.acceptedConfig, asRecord);
  if (before === null) return fresh(loadConfig(file));

  const digest = digestOfFile(file);
  const acknowledged = acknowledgedDigest(paths);
  const verdict = configAtStart(before, { digest, acknowledged }, interrupted === undefined ? interruptedDigest(paths) : interrupted);
  if (verdict.use === 'accepted') return stepOf({ loaded: acceptedCopy(paths, before, file), record: verdict.record }, verdict, null);
  const step = fresh(loadConfig(file));
  const accepted = digest === acknowledged && digest !== before.accepted_digest ? acceptedText(paths, before) : null;
  return accepted === null ? step : { ...step, events: [reloaded(accepted, step.inUse.loaded)] };
}

/** Makes the configuration in force durable, so that it is there again after an agent's edit and a kill. Needs the lock. */
export function saveInUse(paths: Layout, { loaded, record }: ConfigInUse): void {
  const kept = readState(paths.acceptedConfig, asRecord);
  if (kept?.accepted_digest !== record.accepted_digest || acceptedText(paths, record) === null)
    writeAtomic(paths.acceptedConfigText, loaded.text, { mode: 0o600 });
  if (JSON.stringify(kept) !== JSON.stringify(record)) writeJson(paths.acceptedConfig, record);
  if (acknowledgedDigest(paths) === record.accepted_digest) rmSync(paths.configAck, { force: true });
}

/** Before each round, and at once when a person speaks: adopts what may be adopted. Saves what it decides. */
export function configBefore(paths: Layout, inUse: ConfigInUse, reload: boolean): ConfigStep {
  const acknowledged = acknowledgedDigest(paths);
  const seen = { digest: digestOfFile(inUse.loaded.path), acknowledged };
  const verdict = configBetweenRounds(inUse.record, seen, reload);
  if (verdict.use === 'accepted') return save(paths, stepOf({ loaded: inUse.loaded, record: verdict.record }, verdict, null));

  // An answer counts for one attempt: a file that turns out to be wrong needs another look anyway.
  if (acknowledged !== null) rmSync(paths.configAck, { force: true });
  try {
    const loaded = loadConfig(inUse.loaded.path);
    const fixed = (['work_dir', 'log_dir'] as const).find((key) => loaded.config.runtime[key] !== inUse.loaded.config.runtime[key]);
    if (fixed !== undefined) return failed(inUse, `runtime.${fixed} needs a restart of serve; nothing of the new file is used before`);
    return save(paths, { ...fresh(loaded), events: [reloaded(inUse.loaded.text, loaded)] });
  } catch (error) {
    if (!(error instanceof ConfigProblems)) throw error;
    const [first, ...others] = error.problems;
    return failed(
      inUse,
      `${first === undefined ? error.message : problemLine(first)}${others.length > 0 ? ` (and ${others.length} more)` : ''}`,
    );
  }
}

/** After each round; `before` is what `digestOfFile` said when it started. Saves what it decides. */
export function configAfter(paths: Layout, inUse: ConfigInUse, before: string, roundNum: number | null): ConfigStep {
  const verdict = configAfterRound(inUse.record, digestOfFile(inUse.loaded.path), before);
  const step = stepOf({ loaded: inUse.loaded, record: verdict.record }, verdict, roundNum);
  // A person answered while the round ran: what the next step adopts is not asked about a second time.
  const answered = step.file === 'suspect' && verdict.record.suspect_digest === acknowledgedDigest(paths);
  return save(paths, answered ? { ...step, file: 'pending' } : step);
}

/** `ack config`: a person has read the file as it is now. Returns the digest spoken for, or null when there is no file. */
export function acknowledgeConfig(paths: Layout, configFile: string): string | null {
  const digest = digestOfFile(configFile);
  if (digest === ABSENT) return null;
  writeJson(paths.configAck, { digest });
  return digest;
}

/** Whether a person has spoken for the file as it is now, and nothing has adopted it yet. */
export function isAcknowledged(paths: Layout, configFile: string): boolean {
  const digest = acknowledgedDigest(paths);
  return digest !== null && digest === digestOfFile(configFile);
}

/** Of the file's text now; ABSENT when it is not there or is no text of bounded length. */
export function digestOfFile(file: string): string {
  try {
    return digestOf(readConfigFile(file));
  } catch {
    return ABSENT;
  }
}

/** What was adopted last cannot be used here (`reason`): what was in force before is again, and the file waits for another `reload`. */
export function configTakenBack(paths: Layout, before: ConfigInUse, reason: string): ConfigStep {
  const found = digestOfFile(before.loaded.path);
  const accepted = before.loaded.digest;
  const record = { accepted_digest: accepted, pending_digest: found === accepted ? null : found, suspect_digest: null };
  return save(paths, failed({ loaded: before.loaded, record }, reason));
}

function fresh(loaded: LoadedConfig): ConfigStep {
  return {
    inUse: { loaded, record: { accepted_digest: loaded.digest, pending_digest: null, suspect_digest: null } },
    events: [],
    file: 'same',
  };
}

function failed(inUse: ConfigInUse, reason: string): ConfigStep {
  return { inUse, events: [{ kind: 'config_reload_failed', fields: { reason } }], file: fileState(inUse.record) };
}

function save(paths: Layout, step: ConfigStep): ConfigStep {
  try {
    saveInUse(paths, step.inUse);
  } catch (error) {
    // A full disk, or a log_dir that the agent removed: the verdict holds in memory, and the next step writes it again.
    if (!(error instanceof RunnerError) || error.code !== 'AR-STA-001') throw error;
  }
  return step;
}

function stepOf(inUse: ConfigInUse, { record, changed }: Verdict, roundNum: number | null): ConfigStep {
  const found = record.suspect_digest ?? record.pending_digest ?? record.accepted_digest;
  const fields = {
    round_num: roundNum,
    accepted_digest: record.accepted_digest,
    found_digest: found === ABSENT ? null : found,
    during_round: changed === 'during_round',
  };
  return { inUse, events: changed === null ? [] : [{ kind: 'config_changed', fields }], file: fileState(record) };
}

function fileState({ suspect_digest: suspect, pending_digest: pending }: AcceptedRecord): ConfigStep['file'] {
  return suspect !== null ? 'suspect' : pending !== null ? 'pending' : 'same';
}

function reloaded(before: string, now: LoadedConfig): ConfigEvent {
  return { kind: 'config_reloaded', fields: { keys: changedKeys(before, now.text), config_digest: now.digest } };
}

function acceptedCopy(paths: Layout, record: AcceptedRecord, file: string): LoadedConfig {
  const text = acceptedText(paths, record);
  if (text !== null) return parseConfig(text, file);
  throw new RunnerError({
    code: 'AR-CFG-040',
    message: `${file} was changed during a round, and the copy that was accepted before is gone or damaged (${paths.acceptedConfigText})`,
    remedy: 'read the file; if it is right: agent-runner ack config',
    exit: 'config',
  });
}

/** The text behind the accepted digest, or null when the copy is not that. */
function acceptedText(paths: Layout, { accepted_digest: digest }: AcceptedRecord): string | null {
  try {
    const text = readConfigFile(paths.acceptedConfigText);
    return digestOf(text) === digest ? text : null;
  } catch {
    return null;
  }
}

function acknowledgedDigest(paths: Layout): string | null {
  return readState(paths.configAck, (value) => stringOrNull((value as { digest?: unknown } | null)?.digest));
}

function interruptedDigest(paths: Layout): string | null {
  const seen = lookAtJson(paths.inFlight);
  return seen.kind === 'ok' ? (asInFlight(seen.value)?.config_digest ?? null) : null;
}

function asRecord(value: unknown): AcceptedRecord | null {
  if (typeof value !== 'object' || value === null) return null;
  const { accepted_digest: accepted, pending_digest: pending, suspect_digest: suspect } = value as Record<string, unknown>;
  if (typeof accepted !== 'string') return null;
  return { accepted_digest: accepted, pending_digest: stringOrNull(pending), suspect_digest: stringOrNull(suspect) };
}

function stringOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
