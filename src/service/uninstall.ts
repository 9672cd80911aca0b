import { rmSync } from 'node:fs';
import type { Clock } from '../util/clock.ts';
import { errnoOf, RunnerError } from '../util/errors.ts';
import { stopService } from './stop.ts';
import { mustSystemctl, systemctl } from './systemctl.ts';
import { findOwnService, type ServiceTarget } from './target.ts';
import type { UnitKind } from './units.ts';

export interface UninstallReport {
  unit: string;
  unit_file: string;
}

/**
 * Stops and disables the service, then removes its unit. Throws AR-SVC-008 without one, and AR-SVC-013 while a round drains: a unit that is
 * taken away from a running service takes its stop time and its way of killing along.
 */
export async function uninstallService(target: ServiceTarget, clock: Clock, asked: () => void): Promise<UninstallReport> {
  const { facts, unit: runsAs } = await findOwnService(target);
  const kind: UnitKind = runsAs?.kind ?? (facts.userUnit === null ? 'system' : 'user');
  const file = kind === 'user' ? facts.userUnit : facts.systemUnit;
  if (file === null) {
    throw new RunnerError({
      code: 'AR-SVC-008',
      message: `no unit runs ${target.configPath}`,
      remedy: 'there is nothing to uninstall; `agent-runner status` says how serve is run',
    });
  }
  const name = file.split('/').at(-1) as string;
  await mustSystemctl(kind, ['disable', name]);
  if (runsAs !== null && (await stopService(target, clock, asked)).result === 'draining') {
    throw new RunnerError({
      code: 'AR-SVC-013',
      message: `${name} is disabled and stops when its round has ended; its unit must stay until then`,
      remedy: "call 'agent-runner uninstall' again later, or end the round now with 'agent-runner kill'",
    });
  }
  try {
    rmSync(file, { force: true });
  } catch (cause) {
    throw new RunnerError({
      code: 'AR-SVC-007',
      message: `${file} cannot be removed: ${errnoOf(cause) ?? cause}`,
      remedy: 'remove it by hand',
      cause,
    });
  }
  await mustSystemctl(kind, ['daemon-reload']);
  await systemctl(kind, ['reset-failed', name]);
  return { unit: name, unit_file: file };
}
