import type { ContainerEvent } from './engine-events.ts';
import type { ContainerEvidence } from './evidence.ts';

/**
 * What the exit code of an engine's client means.
 * `agent`: the code is the agent's own. `container_error`: the engine never got the agent to run, or the client lost the engine.
 * `oom_killed`: the kernel ended the main process for memory. `own_kill`: we did. `foreign_kill`: somebody else did.
 */
export type ContainerVerdict = 'agent' | 'container_error' | 'oom_killed' | 'own_kill' | 'foreign_kill';

/** An oom record this close before the end is the end's reason; an older one was a child's, which the main process survived. */
const OOM_BEFORE_END_MS = 5_000;
/** A kill by hand this close before the end is the end's reason. podman writes `stop` when it begins, so a grace may lie between. */
const KILL_BEFORE_END_MS = 60_000;

/** Pure. `endedByUs`: the run was ended by a wall, a stop or a grace: then the code says nothing new. */
export function containerVerdict(exitCode: number | null, endedByUs: boolean, evidence: ContainerEvidence | null): ContainerVerdict {
  if (endedByUs) return exitCode === 137 || exitCode === null ? 'own_kill' : 'agent';
  if (evidence === null) return 'agent';
  if (exitCode === 125 || exitCode === 126 || exitCode === 127) return ranAndSaid(exitCode, evidence) ? 'agent' : 'container_error';
  if (exitCode === 137) return whoKilled(evidence);
  return 'agent';
}

/** True when the container started, and its own end carried this code. */
function ranAndSaid(exitCode: number, { events, created }: ContainerEvidence): boolean {
  // No memory of the engine's: an id means that the engine accepted the container (125 without one never got that far).
  if (events === null) return created;
  const die = events.findLast((event) => event.action === 'die');
  if (die !== undefined) return die.exitCode === null || die.exitCode === exitCode;
  // Started and no end in sight: the client went away before the container, with a code of the client's own.
  return false;
}

function whoKilled({ events, kernelOom, memoryLimited }: ContainerEvidence): ContainerVerdict {
  const list = events ?? [];
  const end = list.findLast((event) => event.action === 'die')?.at ?? Number.POSITIVE_INFINITY;
  const near = (event: ContainerEvent, ms: number) => end === Number.POSITIVE_INFINITY || end - event.at <= ms;
  if (list.some((event) => event.action === 'oom' && near(event, OOM_BEFORE_END_MS))) return 'oom_killed';
  // Before the kernel log, whose record may be of a child long ago: it is not compared with the engine's clock.
  if (list.some((event) => isKill(event) && near(event, KILL_BEFORE_END_MS))) return 'foreign_kill';
  if (kernelOom === true) return 'oom_killed';
  // docker records an oom kill, as a rule. podman records none: without a readable kernel log, a limit makes memory the likeliest reason.
  const silentEngine = !list.some((event) => event.source === 'docker');
  return silentEngine && kernelOom === null && memoryLimited ? 'oom_killed' : 'foreign_kill';
}

function isKill(event: ContainerEvent): boolean {
  return event.action === 'stop' || (event.action === 'kill' && (event.signal === null || event.signal === 9));
}
