import { existsSync } from 'node:fs';
import type { Layout } from '../state/layout.ts';
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
