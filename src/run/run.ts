import { dirname } from 'node:path';
import { identify } from '../process/proc.ts';
import { type Clock, systemClock } from '../util/clock.ts';
import { settledWithin } from './deadlines.ts';
import { helperPattern } from './grace.ts';
import { endMembers } from './ladder.ts';
import { withoutLeaf } from './leaf.ts';
import { createCensus } from './members.ts';
import { type Output, openOutput } from './output.ts';
import { feedInput, readOutput } from './pipe.ts';
import { hostProcesses } from './process-table.ts';
import { firstToEnd, type Running, stopReason } from './race.ts';
import { EMPTY_RECEIPT } from './receipt.ts';
import { type LeaderExit, type Started, spawnLeader } from './spawn.ts';
import type { Receipt, RunEnd, RunReport, RunSpec } from './types.ts';

/** After an exit helpers have this long to leave by themselves, and the pipe this long to be read to its end. */
const AFTER_EXIT_MS = 500;
/** The leader is dead by the process table: so long may Node take to tell its exit code. */
const EXIT_NEWS_MS = 1_000;

/**
 * Supervises one process from its start to the proof of its end:
 *
 * 1. starting: the log is opened, the streams are made, the leader starts in a session of its own;
 * 2. running: its output is read always; the first of exit, hard wall, idle wall, grace and stop decides;
 * 3. ending: everyone who belongs to it leaves or is ended, on every path, and no second stop shortens that;
 * 4. ended: the last output is read and the report made.
 *
 * A run that could not start is a report too. Rejects only with an error that one of the callbacks threw, and then after stage 3. The
 * leaf is removed on every path.
 */
export async function startRun(spec: RunSpec, clock: Clock = systemClock): Promise<RunReport> {
  const output = openOutput(spec, clock);
  if (spec.stop?.aborted) return neverStarted(spec, output, stopReason(spec.stop));
  const memoryBounded = spec.memoryMaxBytes !== undefined && (spec.leaf?.limitMemory(spec.memoryMaxBytes) ?? false);
  const start = await spawnLeader(spec);
  if (start.kind === 'failed') return { ...neverStarted(spec, output, 'spawn_failed'), spawnError: start.errno, problem: start.problem };

  const running = await supervise(spec, start.leader, output, clock, memoryBounded);
  const exit = watchExit(start.leader, clock);
  const reading = readOutput(start.leader.output, output.push);
  const feeding = start.leader.input === null ? null : feedInput(start.leader.input, spec.stdin ?? '');

  const decision = await decide(running);
  const ended = await endEveryone(running, decision.end);
  const leafMemory = spec.leaf?.memory() ?? null;
  const receipt = spec.leaf ? await withoutLeaf(ended, spec.leaf, clock) : ended;

  await settledWithin(clock, EXIT_NEWS_MS, start.leader.exited);
  await settledWithin(clock, AFTER_EXIT_MS, reading.ended);
  reading.stop();
  feeding?.stop();
  start.leader.forget();
  output.end();
  if ('fault' in decision) throw decision.fault;
  const { identity: leader, memoryExceededBytes } = running;
  return { ...reportOf(output, decision.end), ...exit(), leader, receipt, leafMemory, memoryExceededBytes };
}

async function supervise(spec: RunSpec, leader: Started, output: Output, clock: Clock, memoryBounded: boolean): Promise<Running> {
  const identity = await identify(leader.pid);
  const census = createCensus({
    leader: identity,
    mark: spec.mark,
    startedAfterTicks: identity.startTicks,
    group: 'ours',
    ...(spec.leaf ? { leafPids: spec.leaf.members } : {}),
    namespaced: spec.pidNamespace !== undefined,
    table: hostProcesses,
    sleep: (ms) => clock.sleep(ms),
  });
  const exclude = [dirname(spec.log.path), ...(spec.idleExclude ?? [])];
  return { spec, leader, identity, output, census, clock, exclude, memoryBounded, memoryExceededBytes: null };
}

/** A callback that throws ends the run like a stop; its error is handed on when everyone is gone. */
async function decide(running: Running): Promise<{ end: RunEnd } | { end: RunEnd; fault: unknown }> {
  try {
    running.spec.onSpawned?.(running.identity);
    return { end: await firstToEnd(running) };
  } catch (fault) {
    return { end: 'stopped', fault };
  }
}

async function endEveryone({ spec, identity, census, clock }: Running, end: RunEnd): Promise<Receipt> {
  try {
    return await endMembers({
      census,
      table: hostProcesses,
      clock,
      leaveMs: end === 'exit' ? AFTER_EXIT_MS : 0,
      firstSignal: end === 'stopped' ? spec.stopSignal : 'SIGTERM',
      graceMs: spec.termGraceMs,
      endOtherwise: spec.endOtherwise,
      isHelper: (member) => helperPattern(hostProcesses.commandLine(member.pid), spec.ignorePatterns) !== null,
      leaf: spec.leaf,
      hurry: spec.hurry,
    });
  } catch (error) {
    // The process table cannot be read (no descriptors left): the group at least must not live on.
    hostProcesses.signal(-identity.pid, 'SIGKILL');
    spec.leaf?.kill();
    throw error;
  }
}

/** How and when the leader ended, as far as it is known when asked. */
function watchExit(leader: Started, clock: Clock): () => Pick<RunReport, 'exitCode' | 'signal' | 'durationMs'> {
  const startedAt = clock.monotonic();
  let exit: LeaderExit = { code: null, signal: null };
  let endedAt: number | null = null;
  leader.exited.then((news) => {
    exit = news;
    endedAt = clock.monotonic();
  });
  return () => ({ exitCode: exit.code, signal: exit.signal, durationMs: (endedAt ?? clock.monotonic()) - startedAt });
}

function neverStarted({ leaf }: RunSpec, output: Output, end: RunEnd): RunReport {
  output.end();
  leaf?.remove();
  return reportOf(output, end);
}

function reportOf(output: Output, end: RunEnd): RunReport {
  return {
    end,
    leader: null,
    exitCode: null,
    signal: null,
    spawnError: null,
    problem: null,
    durationMs: 0,
    outputBytes: output.bytes(),
    droppedBytes: output.droppedBytes(),
    leafMemory: null,
    memoryExceededBytes: null,
    logError: output.logError(),
    resultSeen: output.resultSeen(),
    tail: output.tail(),
    receipt: EMPTY_RECEIPT,
  };
}
