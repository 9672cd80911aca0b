import { runCommand } from '../process/command.ts';
import type { Clock } from '../util/clock.ts';
import { readCidfile } from './control-dir.ts';
import { askEngine } from './engine.ts';
import { type ContainerEvent, parseEvents } from './engine-events.ts';
import { ROUND_LABEL } from './inject.ts';
import type { Container } from './prepare.ts';

/** What the engine and the kernel know about how a round's container began and ended. */
export interface ContainerEvidence {
  /** In order; null: this engine keeps none, or could not be asked. */
  events: ContainerEvent[] | null;
  /** The engine wrote an id: a container was made, whether or not it started. */
  created: boolean;
  /** The kernel log names this container in an out-of-memory kill; null: it may not be read. */
  kernelOom: boolean | null;
  memoryLimited: boolean;
}

/** Exit codes of a client that need evidence; for any other the code is the agent's own and nobody is asked. */
const NEEDS_EVIDENCE: ReadonlySet<number> = new Set([125, 126, 127, 137]);
/** docker tells the waiting client of the end a moment before it writes the `die` event. */
const EVENT_TRIES = 3;
const EVENT_RETRY_MS = 100;
const KERNEL_LOG_BYTES = 4 * 1024 * 1024;

/** Asked once, after the client has ended; null when the exit code raises no question. About 0.1 s with docker, 0.03 s with podman. */
export async function containerEvidence(container: Container, exitCode: number | null, clock: Clock): Promise<ContainerEvidence | null> {
  if (exitCode === null || !NEEDS_EVIDENCE.has(exitCode)) return null;
  const id = container.cidfile === null ? null : readCidfile(container.cidfile).id;
  const events = await endedEvents(container, clock);
  const knownId = events?.find((event) => event.id !== '')?.id ?? id;
  return {
    events,
    created: id !== null || (events?.length ?? 0) > 0,
    kernelOom:
      exitCode === 137 && knownId !== null && !events?.some((event) => event.action === 'oom') ? await kernelKilled(knownId) : null,
    memoryLimited: container.memoryLimited,
  };
}

async function endedEvents(container: Container, clock: Clock): Promise<ContainerEvent[] | null> {
  let events: ContainerEvent[] | null = null;
  for (let attempt = 1; attempt <= EVENT_TRIES; attempt += 1) {
    events = await engineEvents(container, clock);
    const started = events?.some((event) => event.action === 'start');
    if (events === null || !started || events.some((event) => event.action === 'die')) return events;
    await clock.sleep(EVENT_RETRY_MS);
  }
  return events;
}

/**
 * The engine's own memory of this container, by our label, so it works without an id. docker keeps 256 entries of all containers together:
 * the ones that matter (a refused start; the kill, oom and die of the end) are the newest when we ask, right after the client's end, so
 * nobody has to listen all the time. nerdctl keeps none: null.
 */
export async function engineEvents(container: Container, clock: Clock): Promise<ContainerEvent[] | null> {
  if (container.runtime === 'nerdctl') return null;
  const ask = async (...bound: string[]) => {
    const filter = `label=${ROUND_LABEL}=${container.roundId}`;
    const answer = await askEngine(container, ['events', '--since', '1', ...bound, '--filter', filter, '--format', '{{json .}}']);
    return answer.ok ? parseEvents(answer.stdout) : null;
  };
  // docker ends its list only at an end time. podman (4.3) loses entries when it is given one, and has a flag for it instead.
  const dockers = container.runtime === 'docker' ? await ask('--until', String(clock.now() / 1000)) : [];
  // A `docker` that is podman under another name knows podman's flag; the real one refuses it.
  return dockers?.length === 0 ? ((await ask('--stream=false')) ?? (container.runtime === 'docker' ? dockers : null)) : dockers;
}

/**
 * podman reports no out-of-memory kill, and docker none where its watch on the cgroup failed (a v1 hierarchy that is mounted elsewhere
 * only), so the kernel log is asked: its line holds the cgroup, and that holds the id.
 */
async function kernelKilled(id: string): Promise<boolean | null> {
  const result = await runCommand(['dmesg'], { timeoutMs: 3_000, maxBytes: KERNEL_LOG_BYTES });
  if (result.code !== 0) return null;
  return result.stdout.split('\n').some((line) => line.includes('oom-kill:') && line.includes(id));
}
