import type { Clock } from '../util/clock.ts';
import { isContainerId, readCidfile } from './control-dir.ts';
import { askEngine, type ContainerState, containersByLabel, type EngineAccess, inspectContainer } from './engine.ts';
import { engineEvents } from './evidence.ts';
import { ROUND_LABEL } from './inject.ts';
import { killProcessesInContainer } from './leftovers.ts';
import type { Container } from './prepare.ts';

/** Added to the grace, it bounds the whole of `stopContainer`: a slow engine must not hold up the service manager. Seconds. */
const CONTAINER_STOP_EXTRA_S = 10;
/** A client that died while the engine was still making the container: how long we wait for it to appear. */
const LATE_CONTAINER_MS = 3_000;
const LATE_POLL_MS = 250;
/** Between two looks at a container that is just about to end. */
const SETTLE_POLL_MS = 50;
const SETTLE_MS = 1_000;

/** The share of a stop budget that a container needs, in seconds. */
export function containerStopBudgetS(graceS: number): number {
  return graceS + CONTAINER_STOP_EXTRA_S;
}

export interface StopOptions {
  /**
   * What the container still gets between its stop signal and KILL, seconds. The client relays TERM to it, so the time that the client was
   * given counts: pass what is left of the grace, 0 when it is spent.
   */
  graceS: number;
  clock: Clock;
  /** False when the client ended by itself: then a container that is not there is simply over, nobody waits for a late one. */
  interrupted: boolean;
}

export interface StopReport {
  containerId: string | null;
  /** True: it is verified that no container of the round runs. */
  ok: boolean;
  /** True when something had to be ended: a container was still there. */
  acted: boolean;
  /** One line for people: what was needed, or what failed. */
  detail: string;
}

/** Every look and every command ends with this moment. */
interface Deadline {
  clock: Clock;
  at: number;
}

/**
 * Ends the container of a round after its client is gone: by the id the engine wrote down, else by our label. `stop`, look, `kill`, look,
 * `rm -f` for what never ran, and last the processes in its cgroup. A container that is not there is success. Never throws.
 */
export async function stopContainer(container: Container, options: StopOptions): Promise<StopReport> {
  const deadline = { clock: options.clock, at: options.clock.monotonic() + containerStopBudgetS(options.graceS) * 1000 };
  const written = container.cidfile === null ? null : readCidfile(container.cidfile).id;
  const trusted =
    written !== null && (!container.cidfileIsOperators || (await carriesOurLabel(container, written, deadline))) ? written : null;
  const found = trusted === null ? await findByLabel(container, options, deadline) : [trusted];
  if (found === 'unknown') return { containerId: null, ok: false, acted: false, detail: 'the engine could not be asked for the container' };
  if (found.length === 0) return { containerId: null, ok: true, acted: false, detail: 'no container' };

  const ends = [];
  for (const id of found) ends.push(await endById(container, id, options.graceS, deadline));
  return {
    containerId: found[0] ?? null,
    ok: ends.every((end) => end.ok),
    acted: ends.some((end) => end.acted),
    detail: ends.map((end) => end.detail).join('; '),
  };
}

export interface EndReport {
  ok: boolean;
  acted: boolean;
  detail: string;
}

/** The ladder for one container. The words of `stop` and `kill` are not believed: only what `inspect` says afterwards counts. */
export async function endById(access: EngineAccess, id: string, graceS: number, deadline: Deadline): Promise<EndReport> {
  const before = await settled(access, id, deadline);
  if (isOver(before)) {
    const swept = await sweep(id, deadline);
    return { ...swept, detail: swept.acted ? 'the engine had forgotten it, its processes were killed' : 'it had ended' };
  }
  const steps: string[] = [];
  const failures: string[] = [];
  const attempt = async (word: string, args: string[], timeoutMs: number) => {
    if (passed(deadline)) return false;
    steps.push(word);
    const answer = await askEngine(access, [...args, id], Math.min(timeoutMs, left(deadline)));
    if (!answer.ok && !answer.missing) failures.push(answer.detail);
    return isOver(await settled(access, id, deadline));
  };
  const ran = before === 'unknown' || (before !== null && !NEVER_RAN.has(before.status));
  const over =
    (ran && (await attempt('stop', ['stop', '-t', String(Math.ceil(graceS))], graceS * 1000 + 5_000))) ||
    (ran && (await attempt('kill', ['kill'], 3_000))) ||
    // `stop` and `kill` say "done" of a container that is being made, and then it starts: only removal takes it away for good.
    (await attempt('rm', ['rm', '--force'], 3_000));
  const swept = await sweep(id, deadline);
  const ok = over && swept.ok;
  return { ok, acted: true, detail: ok ? steps.join(', ') : `${steps.join(', ')}: still there: ${failures.at(-1) ?? 'it runs on'}` };
}

const NEVER_RAN: ReadonlySet<string> = new Set(['created', 'configured', 'initialized']);
const OVER: ReadonlySet<string> = new Set(['exited', 'stopped', 'dead']);
const ON_ITS_WAY: ReadonlySet<string> = new Set(['stopping', 'removing']);

function isOver(state: ContainerState | null | 'unknown'): boolean {
  return state === null || (state !== 'unknown' && OVER.has(state.status));
}

/** With `--rm` the engine takes a container away a moment after it has ended: `removing` is waited out, briefly. */
async function settled(access: EngineAccess, id: string, deadline: Deadline): Promise<ContainerState | null | 'unknown'> {
  const until = Math.min(deadline.clock.monotonic() + SETTLE_MS, deadline.at);
  for (;;) {
    const state = await look(access, id, deadline);
    if (state === null || state === 'unknown' || !ON_ITS_WAY.has(state.status) || deadline.clock.monotonic() >= until) return state;
    await deadline.clock.sleep(SETTLE_POLL_MS);
  }
}

/** Nobody may live in the container's cgroup once the engine says that it is over. */
async function sweep(id: string, deadline: Deadline): Promise<{ ok: boolean; acted: boolean }> {
  let acted = false;
  for (let round = 0; round < 20; round += 1) {
    const signalled = killProcessesInContainer(id);
    if (signalled.length === 0) return { ok: true, acted };
    acted = true;
    await deadline.clock.sleep(SETTLE_POLL_MS);
  }
  return { ok: false, acted };
}

async function carriesOurLabel(container: Container, id: string, deadline: Deadline): Promise<boolean> {
  const state = await look(container, id, deadline);
  return state !== null && state !== 'unknown' && state.roundId === container.roundId;
}

/** Without an id the container may not exist yet: an interrupted client can leave the engine in the middle of making it. */
async function findByLabel(container: Container, options: StopOptions, deadline: Deadline): Promise<string[] | 'unknown'> {
  const until = Math.min(deadline.clock.monotonic() + (options.interrupted ? LATE_CONTAINER_MS : 0), deadline.at);
  for (;;) {
    const found = await containersByLabel(container, `${ROUND_LABEL}=${container.roundId}`, left(deadline));
    if (found.length > 0 || deadline.clock.monotonic() >= until) return found;
    // It came and went already, or the engine forgot it: nothing more will appear, but its processes are looked for.
    const made = (await engineEvents(container, deadline.clock))?.map(({ id }) => id).filter(isContainerId) ?? [];
    if (made.length > 0) return [...new Set(made)];
    await deadline.clock.sleep(LATE_POLL_MS);
  }
}

async function look(access: EngineAccess, id: string, deadline: Deadline): Promise<ContainerState | null | 'unknown'> {
  if (passed(deadline)) return 'unknown';
  return inspectContainer(access, id, Math.min(5_000, left(deadline)));
}

function passed(deadline: Deadline): boolean {
  return deadline.clock.monotonic() >= deadline.at;
}

function left(deadline: Deadline): number {
  return Math.max(1, deadline.at - deadline.clock.monotonic());
}
