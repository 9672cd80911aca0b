import { readStopped } from '../state/serve-state.ts';
import type { Clock } from '../util/clock.ts';
import { RunnerError } from '../util/errors.ts';
import { mustSystemctl, showUnit, systemctl, type UnitState } from './systemctl.ts';
import type { Service, ServiceTarget } from './target.ts';

/** Locks, the end of a dead supervisor's round and the first looks at the tree: nearly always less than two seconds. */
const START_WITHIN_MS = 30_000;
const POLL_MS = 100;

/** `running`: it was up before. */
export type StartResult = 'started' | 'starting' | 'queued' | 'running';

type Unit = NonNullable<Service['unit']>;

/**
 * Starts the unit and waits until serve says that its checks have passed. `queued`: the one before still drains, and systemd starts the next
 * when it has ended. Throws AR-SVC-009 with its last words when it does not come up.
 */
export async function startUnit(unit: Unit, { paths }: ServiceTarget, clock: Clock): Promise<StartResult> {
  const { kind, name } = unit;
  const before = await showUnit(kind, name);
  if (before.active === 'active' || before.active === 'reloading') return 'running';
  // A person's start counts, also after five failures in a row.
  if (before.active === 'failed') await systemctl(kind, ['reset-failed', name]);
  await mustSystemctl(kind, ['--no-block', 'start', name]);
  if (before.active === 'deactivating') return 'queued';
  const end = clock.monotonic() + START_WITHIN_MS;
  for (;;) {
    const state = await showUnit(kind, name);
    if (state.active === 'active' || state.active === 'reloading') return 'started';
    if (state.active === 'failed' || state.sub === 'auto-restart') throw didNotStart(unit, state, readStopped(paths)?.sentence ?? null);
    if (clock.monotonic() >= end) return 'starting';
    await clock.sleep(POLL_MS);
  }
}

function didNotStart({ kind, name }: Unit, { result, exitCode }: UnitState, words: string | null): RunnerError {
  const how = exitCode > 0 ? `it ended with exit code ${exitCode}` : `systemd says ${result}`;
  return new RunnerError({
    code: 'AR-SVC-009',
    message: `${name} did not come up: ${how}${exitCode > 1 && words !== null ? `: ${words.split('\n', 1)[0]}` : ''}`,
    remedy: `its last words: journalctl --${kind} -n 20 -u ${name.includes('\\') ? `'${name}'` : name}`,
  });
}
