import { type CpuMeter, containerCpuMeter } from '../container/cgroup-cpu.ts';
import { readAgentDone, writeRoundContext } from '../container/control-dir.ts';
import { containerEvidence } from '../container/evidence.ts';
import { type Container, prepareContainer } from '../container/prepare.ts';
import { removeFolder } from '../container/private-dir.ts';
import { type StopReport, stopContainer } from '../container/stop.ts';
import { type ContainerVerdict, containerVerdict } from '../container/verdict.ts';
import { isLiving } from '../process/proc.ts';
import type { NamedProcess, Receipt, RunReport, RunSpec } from '../run/types.ts';
import { writeAtomic } from '../state/atomic.ts';
import { layout } from '../state/layout.ts';
import type { Clock } from '../util/clock.ts';
import { messageOf } from '../util/errors.ts';
import type { RoundBodyInput } from './body.ts';
import { recordOf } from './container-record.ts';
import { survivingContainer } from './survivors.ts';

/** What the container of a round adds to what the run of its client tells. */
export interface ContainerFacts {
  verdict: ContainerVerdict;
  /** The client had left by itself, and its container had to be ended: work that was left running. */
  leftRunning: boolean;
  /** Null: it is verified that no container of the round runs. */
  survivor: NamedProcess | null;
  problems: string[];
}

export interface ContainedRun {
  /** To be run in place of the plain one. */
  spec: RunSpec;
  /** Ends the container on every path, says how it ended, takes over what the agent wrote in its control directory. */
  close(run: RunReport): Promise<{ run: RunReport; container: ContainerFacts }>;
  /** The same for a run that gave no report. Never throws. */
  abandon(): Promise<void>;
}

/** A client that we may not signal (sudo, another user's) ends with its container: it is given this long. */
const CLIENT_END_MS = 2_000;
const CLIENT_POLL_MS = 50;

/**
 * Makes the run of a container out of the run of its client: our options after `run`, the control directory, the record by which a later
 * supervisor finds the container. Null for an argv that starts none. Makes folders.
 */
export function containRun(spec: RunSpec, input: RoundBodyInput, clock: Clock): ContainedRun | null {
  const { agent } = input.profile;
  const { work_dir: workDir, log_dir: logDir } = input.loaded.config.runtime;
  const prepared = prepareContainer({
    argv: spec.argv,
    prefixLength: agent.exec_prefix.length,
    roundId: input.roundId,
    owner: input.owner,
    workDir,
    logDir,
    env: spec.env,
    hostEnv: input.env,
  });
  if (prepared === null) return null;
  const { container } = prepared;
  try {
    if (container.controlDir !== null) writeRoundContext(container.controlDir, input.contextJson);
    input.onContainer(recordOf(container));
  } catch (error) {
    tidy(container);
    throw error;
  }
  let started = false;
  return {
    spec: {
      ...spec,
      argv: prepared.argv as [string, ...string[]],
      env: container.env,
      mark: { ...spec.mark, ownNamespaceOnly: true },
      outsideCpuMs: outsideCpu(container),
      // While the client still reads: what the agent says to its stop is in the log.
      async endOtherwise() {
        await stopContainer(container, { graceS: input.hurry.aborted ? 0 : spec.termGraceMs / 1000, clock, interrupted: true });
      },
      onSpawned(identity) {
        started = true;
        input.onSpawned(identity);
      },
    },
    async close(run) {
      const closed = started
        ? await closeContainer(run, input.hurry.aborted ? 0 : graceLeftS(run, spec), container, clock)
        : neverStarted(run);
      if (started && (run.end !== 'exit' || closed.container.leftRunning)) {
        input.emit('round_container_orphan_risk', {
          round_num: input.roundNum,
          runtime: container.runtime,
          container_id: closed.run.receipt.containerId,
          stop_ok: closed.container.survivor === null,
        });
      }
      takeAgentDone(container, input);
      // With the folder goes the id, and with that the surest way to a container that still has to be ended.
      if (closed.container.survivor === null) tidy(container);
      return closed;
    },
    async abandon() {
      const stop = started ? await stopContainer(container, { graceS: 0, clock, interrupted: true }) : null;
      if (stop?.ok !== false) tidy(container);
    },
  };
}

function outsideCpu(container: Container): () => Promise<number | null> {
  let meter: CpuMeter | null = null;
  return async () => {
    meter ??= await containerCpuMeter(container);
    return meter?.() ?? null;
  };
}

function neverStarted(run: RunReport): { run: RunReport; container: ContainerFacts } {
  return { run, container: { verdict: 'agent', leftRunning: false, survivor: null, problems: [] } };
}

async function closeContainer(
  run: RunReport,
  graceS: number,
  container: Container,
  clock: Clock,
): Promise<{ run: RunReport; container: ContainerFacts }> {
  const { runtime } = container;
  const began = clock.monotonic();
  const leftByItself = run.end === 'exit' && run.signal === null;
  const stop = await stopContainer(container, { graceS, clock, interrupted: !leftByItself });
  const receipt = await withoutEnded(run.receipt, clock);
  const evidence = run.end === 'exit' ? await containerEvidence(container, run.exitCode, clock) : null;
  const verdict = containerVerdict(run.exitCode, run.end !== 'exit', evidence);
  return {
    run: {
      ...run,
      receipt: { ...receipt, containerId: stop.containerId, durationMs: receipt.durationMs + clock.monotonic() - began },
    },
    container: {
      verdict,
      leftRunning: run.end === 'exit' && stop.acted,
      survivor: stop.ok ? null : survivingContainer(runtime, stop.containerId, stop.detail),
      problems: problemsOf(run, verdict, stop, runtime),
    },
  };
}

/**
 * The client relays our TERM, so the container has had the time that the client was given. A client that got no signal of ours relayed
 * nothing; one that left by itself neither.
 */
function graceLeftS({ end, receipt }: RunReport, { termGraceMs }: RunSpec): number {
  const relayed = end !== 'exit' && receipt.signalled.length > 0;
  return Math.max(0, termGraceMs - (relayed ? receipt.durationMs : 0)) / 1000;
}

async function withoutEnded(receipt: Receipt, clock: Clock): Promise<Receipt> {
  const until = clock.monotonic() + CLIENT_END_MS;
  const living = () => receipt.survivorIdentities.map((identity) => isLiving(identity));
  let lives = living();
  while (lives.includes(true) && clock.monotonic() < until) {
    await clock.sleep(CLIENT_POLL_MS);
    lives = living();
  }
  const still = <T>(list: readonly T[]) => list.filter((_, index) => lives[index]);
  return { ...receipt, survivors: still(receipt.survivors), survivorIdentities: still(receipt.survivorIdentities) };
}

function problemsOf({ exitCode, tail }: RunReport, verdict: ContainerVerdict, stop: StopReport, runtime: string): string[] {
  const problems: string[] = [];
  if (verdict === 'container_error') {
    const words = tail.trimEnd().split('\n').at(-1)?.slice(0, 300) ?? '';
    problems.push(`${runtime} did not run the agent to its end (exit ${exitCode})${words === '' ? '' : `: ${words}`}`);
  }
  if (verdict === 'foreign_kill') problems.push('the main process of the container was killed, not by us and not for memory (exit 137)');
  if (verdict === 'oom_killed') problems.push('the kernel killed the main process of the container for memory (exit 137)');
  if (!stop.ok) problems.push(`the container of the round could not be ended: ${stop.detail} [AR-CON-025]`);
  return problems;
}

/** What the agent wrote at its place goes to where the loop looks, as data: bounded, read without following anything. */
function takeAgentDone({ controlDir }: Container, { loaded, warn }: RoundBodyInput): void {
  const done = controlDir === null ? null : readAgentDone(controlDir);
  if (done === null) return;
  if ('refused' in done) warn(`.agent-done in the control directory of the container was not read: ${done.refused}`);
  if (!done.done) return;
  try {
    writeAtomic(layout(loaded.config.runtime.log_dir).agentDone, done.reason);
  } catch (error) {
    warn(messageOf(error));
  }
}

function tidy({ folder }: Container): void {
  if (folder !== null) removeFolder(folder);
}
