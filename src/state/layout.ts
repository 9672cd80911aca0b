import { join } from 'node:path';
import { compactTime } from '../util/clock.ts';

/** Every file name under `log_dir`, once. */
export function layout(logDir: string) {
  const at = (...parts: string[]) => join(logDir, ...parts);
  return {
    logDir,
    status: at('status.json'),
    roundContext: at('round-context.json'),
    orphanState: at('orphan-state.json'),
    inFlight: at('round-in-flight.json'),
    servePid: at('serve.pid'),
    serveLock: at('serve.lock'),
    serveLog: at('serve.log'),
    roundLock: at('agent-runner.lock'),
    roundLockHolder: at('agent-runner.lock.holder'),
    rounds: at('rounds'),
    currentLog: at('round-current.log'),
    internalErrors: at('internal-errors.log'),
    agentDone: at('.agent-done'),
    state: at('state'),
    owner: at('state', 'owner'),
    streaks: at('state', 'streaks.json'),
    ledger: at('state', 'ledger.json'),
    wait: at('state', 'wait.json'),
    starts: at('state', 'starts.json'),
    pause: at('state', 'pause.json'),
    wake: at('state', 'wake'),
    needsHuman: at('state', 'needs-human.json'),
    accounts: at('state', 'accounts.json'),
    acked: at('state', 'acked.json'),
    acceptedConfig: at('state', 'accepted-config.json'),
    acceptedConfigText: at('state', 'accepted-config.toml'),
    configAck: at('state', 'config-ack.json'),
    stopped: at('state', 'stopped.json'),
    preexisting: at('state', 'preexisting.json'),
    defenses: at('state', 'defenses.json'),
    hookPrograms: at('state', 'hook-programs.json'),
    hooksAck: at('state', 'hooks-ack.json'),
    hooksInFlight: (pid: number) => at('state', `hooks-in-flight-${pid}.json`),
    roundLog: (round: number, startedAt: number) => at('rounds', `R${round}-${compactTime(startedAt)}.log`),
  };
}

export type Layout = ReturnType<typeof layout>;

/** `events-2026-11.jsonl`: one file per UTC month. */
export function monthlyName(family: 'events' | 'metrics', epochMs: number): string {
  return `${family}-${new Date(epochMs).toISOString().slice(0, 7)}.jsonl`;
}

/** Round logs of this program and of the Python predecessor's child supervisor; both count when the next number is chosen. */
export const ROUND_LOG_NAME = /^R(\d+)-[0-9TZ]+\.log$/;
export const LEGACY_ROUND_LOG_NAME = /^round-(\d+)\.log$/;
/** One for each supervisor: a single round may run its hooks beside a serve that waits. */
export const HOOKS_IN_FLIGHT_NAME = /^hooks-in-flight-\d+\.json$/;
