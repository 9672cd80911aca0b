import { existsSync, statSync } from 'node:fs';
import type { Layout } from '../state/layout.ts';
import { RunnerError } from '../util/errors.ts';
import { kindOf, modeOf, type ServiceFacts, type ServiceMode, unitFacts } from './mode.ts';
import { findServe } from './running.ts';
import { unitName } from './unit-text.ts';
import type { UnitKind } from './units.ts';

/** The project that a service verb is about. */
export interface ServiceTarget {
  paths: Layout;
  project: string;
  configPath: string;
}

/** How it is run at this moment. `unit` is the name to give to systemctl, null outside of systemd. */
export interface Service {
  facts: ServiceFacts;
  mode: ServiceMode;
  unit: { kind: UnitKind; name: string } | null;
}

export async function findService({ paths, project, configPath }: ServiceTarget): Promise<Service> {
  const serve = await findServe(paths);
  const facts = { ...unitFacts(project, configPath, serve?.pid ?? null), hasPidFile: existsSync(paths.servePid), serve };
  const mode = modeOf(facts);
  const kind = kindOf(mode);
  return { facts, mode, unit: kind === null ? null : { kind, name: unitName(project) } };
}

/** The same for verbs that change something. Throws AR-SVC-014 for a service of another user's own manager, which only that user can speak to. */
export async function findOwnService(target: ServiceTarget): Promise<Service> {
  const service = await findService(target);
  const { serve } = service.facts;
  const owner =
    service.mode === 'systemd_user' && serve !== null ? statSync(`/proc/${serve.pid}`, { throwIfNoEntry: false })?.uid : undefined;
  if (owner === undefined || owner === process.getuid?.()) return service;
  throw new RunnerError({
    code: 'AR-SVC-014',
    message: `serve (pid ${serve?.pid}) is a service of another user (uid ${owner})`,
    remedy: 'run the same command as that user, without sudo',
  });
}
