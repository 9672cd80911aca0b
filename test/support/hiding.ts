import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import type { Leaf } from '../../src/process/cgroup-leaf.ts';
import { identify, isLiving, readProcess } from '../../src/process/proc.ts';
import { isAlive } from '../../src/process/stat.ts';
import { endMembers } from '../../src/run/ladder.ts';
import { launchOf } from '../../src/run/launch.ts';
import { createCensus } from '../../src/run/members.ts';
import { hostProcesses, type ProcessTable } from '../../src/run/process-table.ts';
import type { ProcessIdentity } from '../../src/run/types.ts';
import { systemClock } from '../../src/util/clock.ts';
import { agent, type Scene } from './run.ts';
import type { Cell, Means, Moment, Trick } from './tricks.ts';
import { until } from './wait.ts';

const GRACE_MS = 300;

export interface Isolation {
  leaf?: Leaf;
  pidNamespace?: readonly string[];
}

/**
 * Starts the agent with its hiding tool, ends it by this means alone, and looks whether the tool lives. `moment`: while the agent runs
 * ('running'), or after it has ended by itself ('exited').
 */
export async function tryToHide(scene: Scene, trick: Trick, means: Means, moment: Moment, isolation: Isolation): Promise<Cell> {
  const seconds = String(100_000 + Math.floor(Math.random() * 1_000_000));
  const spec = scene.spec([agent('hide.py'), trick, moment === 'running' ? 'stay' : 'exit'], isolation);
  const { argv, env } = launchOf({ ...spec, env: { ...spec.env, SECONDS_OF_TOOL: seconds } }, false);
  const [file, ...args] = argv;
  const child = spawn(file, args, { cwd: spec.cwd, env, stdio: 'ignore', detached: true });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const leader = await identify(child.pid as number);
  const noLook = means === 'namespace' && moment === 'exited';
  const found = await until('the tool runs', () => toolOf(seconds) ?? (noLook ? hasEnded(leader) : null));
  const tool = found === true || found === null ? null : found;
  if (moment === 'exited') await exited;

  const begun = systemClock.monotonic();
  await END[means]({ leader, spec, leaf: isolation.leaf });
  const ms = Math.round(systemClock.monotonic() - begun);
  const lives = tool !== null && isLiving(tool);
  if (tool !== null && lives) process.kill(tool.pid, 'SIGKILL');
  if (isLiving(leader)) process.kill(leader.pid, 'SIGKILL');
  await exited;
  return { lives, ms };
}

/** With the agent's exit the namespace takes the tool along before anybody can look at it. */
function hasEnded(leader: ProcessIdentity): true | null {
  return isLiving(leader) ? null : true;
}

function toolOf(seconds: string): ProcessIdentity | null {
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      if (readFileSync(`/proc/${name}/cmdline`, 'latin1') !== `sleep\0${seconds}\0`) continue;
      const entry = readProcess(Number(name));
      if (entry !== null && isAlive(entry)) return { pid: entry.pid, startTicks: entry.startTicks };
    } catch {
      // Gone.
    }
  }
  return null;
}

interface Ending {
  leader: ProcessIdentity;
  spec: ReturnType<Scene['spec']>;
  leaf: Leaf | undefined;
}

const END: Record<Means, (ending: Ending) => Promise<unknown>> = {
  async group({ leader }) {
    signalGroup(leader.pid, 'SIGTERM');
    await untilOr(GRACE_MS, () => !signalGroup(leader.pid, 0));
    signalGroup(leader.pid, 'SIGKILL');
    await untilOr(1_000, () => !signalGroup(leader.pid, 0));
  },
  kin: (ending) => byLadder(ending, { ...hostProcesses, carriesMark: () => 'no' }),
  mark: (ending) => byLadder(ending, hostProcesses),
  async leaf({ leaf }) {
    for (const pid of leaf?.members() ?? []) hostProcesses.signal(pid, 'SIGTERM');
    await untilOr(GRACE_MS, () => leaf?.members().length === 0);
    leaf?.kill();
    await untilOr(1_000, () => leaf?.members().length === 0);
  },
  async namespace({ leader }) {
    signalGroup(leader.pid, 'SIGTERM');
    await untilOr(GRACE_MS, () => !isLiving(leader));
    hostProcesses.signal(leader.pid, 'SIGKILL');
    await untilOr(1_000, () => !isLiving(leader));
  },
};

function byLadder({ leader, spec }: Ending, table: ProcessTable): Promise<unknown> {
  const { mark } = spec;
  const sleep = (ms: number) => systemClock.sleep(ms);
  const census = createCensus({ leader, mark, startedAfterTicks: leader.startTicks, group: 'ours', table, sleep });
  return endMembers({ census, table, clock: systemClock, leaveMs: 0, firstSignal: 'SIGTERM', graceMs: GRACE_MS, isHelper: () => false });
}

function signalGroup(pgid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-pgid, signal);
  } catch {
    return false;
  }
}

async function untilOr(ms: number, done: () => boolean): Promise<void> {
  const end = systemClock.monotonic() + ms;
  while (!done() && systemClock.monotonic() < end) await systemClock.sleep(2);
}
