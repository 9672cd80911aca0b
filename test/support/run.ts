import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { isLiving, readProcess } from '../../src/process/proc.ts';
import { startRun } from '../../src/run/run.ts';
import type { ProcessIdentity, RunReport, RunSpec } from '../../src/run/types.ts';
import type { Clock } from '../../src/util/clock.ts';
import { until } from './wait.ts';

export const MARK = 'AGENT_RUNNER_ROUND_ID';

/** An executable of test/agents/. */
export function agent(name: string): string {
  return resolve(import.meta.dirname, '../agents', name);
}

export interface Scene {
  folder: string;
  logPath: string;
  /** A specification with short walls; the agent finds this folder in $SCENE. */
  spec(argv: readonly [string, ...string[]], changes?: Partial<RunSpec>): RunSpec;
  run(argv: readonly [string, ...string[]], changes?: Partial<RunSpec>, clock?: Clock): Promise<RunReport>;
  log(): string;
  /** The process whose pid an agent wrote into `<folder>/<name>`. */
  processOf(name: string): Promise<ProcessIdentity>;
  /** Ends the runs that a failed test left, kills what was found by `processOf` if it still lives, and removes the folder. */
  close(): Promise<void>;
}

export function openScene(): Scene {
  const folder = mkdtempSync(join(tmpdir(), 'agent-runner-test-'));
  const logPath = join(folder, 'round.log');
  const found: ProcessIdentity[] = [];
  const closing = new AbortController();
  const runs: Promise<unknown>[] = [];
  const spec: Scene['spec'] = (argv, changes = {}) => {
    const mark = { name: MARK, value: randomUUID() };
    return {
      argv,
      env: { PATH: process.env.PATH ?? '', SCENE: folder, [mark.name]: mark.value },
      cwd: folder,
      stdin: null,
      mark,
      log: { path: logPath, maxBytes: 4 * 1024 * 1024 },
      hardTimeoutMs: 30_000,
      idleTimeoutMs: 0,
      graceAfterResultMs: 0,
      ignorePatterns: [],
      termGraceMs: 1_000,
      stopSignal: 'SIGTERM',
      ...changes,
    };
  };
  return {
    folder,
    logPath,
    spec,
    run(argv, changes = {}, clock) {
      const stop = AbortSignal.any([closing.signal, ...(changes.stop ? [changes.stop] : [])]);
      const run = startRun(spec(argv, { ...changes, stop }), clock);
      runs.push(run);
      return run;
    },
    log: () => readFileSync(logPath, 'utf8'),
    async processOf(name) {
      const pid = await until(`${name} holds a pid`, () => pidIn(join(folder, name)));
      const identity = { pid, startTicks: readProcess(pid)?.startTicks ?? 0 };
      found.push(identity);
      return identity;
    },
    async close() {
      closing.abort('stopped');
      await Promise.allSettled(runs);
      for (const identity of found) if (identity.startTicks > 0 && isLiving(identity)) process.kill(identity.pid, 'SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function pidIn(path: string): number {
  try {
    const text = readFileSync(path, 'utf8');
    return text.endsWith('\n') ? Number(text) : 0;
  } catch {
    return 0;
  }
}

export function pids(processes: readonly { pid: number }[]): number[] {
  return processes.map(({ pid }) => pid).sort((a, b) => a - b);
}
