import { existsSync } from 'node:fs';
import { type CommandResult, runCommand } from '../process/command.ts';
import { RunnerError } from '../util/errors.ts';
import type { UnitKind } from './units.ts';

/** Bound of one call, milliseconds; the predecessor's. */
const TIMEOUT_MS = 10_000;

/** `systemctl [--user] ARGS`, never asking for a password, never paging. */
export function systemctl(kind: UnitKind, args: readonly string[], timeoutMs = TIMEOUT_MS): Promise<CommandResult> {
  return runCommand(['systemctl', `--${kind}`, '--no-ask-password', '--no-pager', ...args], { env: managerEnvironment(kind), timeoutMs });
}

/** `su` and cron give no XDG_RUNTIME_DIR, but with lingering the folder is there all the same. */
function managerEnvironment(kind: UnitKind): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = { ...process.env, LC_ALL: 'C', SYSTEMD_COLORS: '0' };
  const own = `/run/user/${process.getuid?.() ?? -1}`;
  if (kind === 'user' && !env.XDG_RUNTIME_DIR && existsSync(own)) env.XDG_RUNTIME_DIR = own;
  return env;
}

/** The same, for something that must be done. Throws AR-SVC-005 when only root may, AR-SVC-007 for any other refusal. */
export async function mustSystemctl(kind: UnitKind, args: readonly string[], timeoutMs?: number): Promise<void> {
  const result = await systemctl(kind, args, timeoutMs);
  if (result.code !== 0) throw refusal(kind, args, result);
}

function refusal(kind: UnitKind, args: readonly string[], result: CommandResult): RunnerError {
  const words = complaintOf(result);
  if (kind === 'system' && /access denied|authentication|not permitted/i.test(words)) {
    return new RunnerError({
      code: 'AR-SVC-005',
      message: `only root may do this to a system service: ${words}`,
      remedy: 'run the same command with sudo',
    });
  }
  if (/Failed to connect to bus|No medium found|has not been booted/i.test(words)) return noManager(kind, words);
  return new RunnerError({
    code: 'AR-SVC-007',
    message: `'systemctl --${kind} ${args.join(' ')}' failed: ${words}`,
    remedy: `'journalctl --${kind} -e' says more`,
  });
}

export function noManager(kind: UnitKind, words: string): RunnerError {
  return new RunnerError({
    code: 'AR-SVC-001',
    message: `the ${kind} service manager does not answer: ${words}`,
    remedy:
      kind === 'user'
        ? 'log in as this user by ssh or at the console (su gives no service manager), or run `sudo loginctl enable-linger "$USER"` first; without systemd use `agent-runner start`'
        : 'this machine was not booted with systemd; `agent-runner start` runs serve detached',
  });
}

export function complaintOf({ code, stderr, stdout, timedOut, spawnError }: CommandResult): string {
  if (spawnError !== null) return spawnError === 'ENOENT' ? 'systemctl is not there' : `systemctl cannot be started (${spawnError})`;
  if (timedOut) return 'no answer in time';
  return (stderr.trim() || stdout.trim()).split('\n').slice(-3).join('; ') || `exit code ${code}`;
}

export interface UnitState {
  /** active, reloading, inactive, failed, activating, deactivating */
  active: string;
  sub: string;
  result: string;
  mainPid: number;
  /** Exit code of the last main process. */
  exitCode: number;
  loaded: boolean;
  timeoutStopS: number;
}

/** The unit as the manager has it. Throws like `mustSystemctl` when it does not answer. */
export async function showUnit(kind: UnitKind, unit: string): Promise<UnitState> {
  const names = ['ActiveState', 'SubState', 'Result', 'MainPID', 'ExecMainStatus', 'LoadState', 'TimeoutStopUSec'];
  const args = ['show', unit, ...names.flatMap((name) => ['--property', name])];
  const result = await systemctl(kind, args);
  if (result.code !== 0) throw refusal(kind, args, result);
  const value = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(result.stdout)?.[1] ?? '';
  return {
    active: value('ActiveState'),
    sub: value('SubState'),
    result: value('Result'),
    mainPid: Number(value('MainPID')),
    exitCode: Number(value('ExecMainStatus')),
    loaded: value('LoadState') === 'loaded',
    timeoutStopS: parseSpan(value('TimeoutStopUSec')),
  };
}

const UNITS: Record<string, number> = {
  y: 31_557_600,
  month: 2_629_800,
  w: 604_800,
  d: 86_400,
  h: 3600,
  min: 60,
  s: 1,
  ms: 0.001,
  us: 0.000_001,
};

/** A time span as systemctl prints it (`33min 47s`, `infinity`), in seconds. */
export function parseSpan(text: string): number {
  if (text.trim() === 'infinity') return Number.POSITIVE_INFINITY;
  let sum = 0;
  for (const [, amount, unit] of text.matchAll(/([\d.]+)(month|min|ms|us|y|w|d|h|s)/g)) sum += Number(amount) * (UNITS[unit ?? ''] ?? 0);
  return sum;
}

/** The unit is up, or on its way: the predecessor's set, and draining. */
export function isUp({ active }: Pick<UnitState, 'active'>): boolean {
  return ['active', 'activating', 'reloading', 'deactivating'].includes(active);
}
