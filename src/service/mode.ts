import { readFileSync } from 'node:fs';
import { findUnit } from './unit-file.ts';
import { unitName } from './unit-text.ts';
import type { UnitKind } from './units.ts';

/** How serve is run on this host. */
export type ServiceMode = 'systemd_user' | 'systemd_system' | 'pid_file' | 'none';

/** `status --json`, and the first part of `service` in `peek --json`. */
export interface ServiceStatus {
  mode: ServiceMode;
  active: boolean;
  pid: number | null;
  uptime_s: number | null;
  unit_file: string | null;
  /** A system-wide unit that root manages serves this project. */
  system_managed: boolean;
}

/** Who runs serve, from the file system alone: quick enough for `peek`, and true also where no bus answers. */
export interface ServiceFacts {
  /** Path of the unit of this project, by kind; null when there is none, or somebody else's. */
  userUnit: string | null;
  systemUnit: string | null;
  /** The unit that the living serve runs in, by its control group; null when it runs in none of ours. */
  runsIn: UnitKind | null;
  hasPidFile: boolean;
  serve: { pid: number; create_time: number | null } | null;
}

export type UnitFacts = Pick<ServiceFacts, 'userUnit' | 'systemUnit' | 'runsIn'>;

export const NO_UNITS: UnitFacts = { userUnit: null, systemUnit: null, runsIn: null };

/** A living serve decides by where it runs; without one the unit does, and then a pid file (also a stale one, as in the predecessor). Pure. */
export function modeOf({ userUnit, systemUnit, runsIn, hasPidFile, serve }: ServiceFacts): ServiceMode {
  if (serve !== null) {
    if (runsIn !== null) return runsIn === 'user' ? 'systemd_user' : 'systemd_system';
    return 'pid_file';
  }
  if (userUnit !== null) return 'systemd_user';
  if (systemUnit !== null) return 'systemd_system';
  return hasPidFile ? 'pid_file' : 'none';
}

export function kindOf(mode: ServiceMode): UnitKind | null {
  if (mode === 'systemd_user') return 'user';
  return mode === 'systemd_system' ? 'system' : null;
}

export function statusOf(facts: ServiceFacts, now: number): ServiceStatus {
  const { serve, userUnit, systemUnit } = facts;
  const mode = modeOf(facts);
  return {
    mode,
    active: serve !== null,
    pid: serve?.pid ?? null,
    uptime_s: serve?.create_time == null ? null : Math.max(0, Math.round(now / 1000 - serve.create_time)),
    unit_file: mode === 'systemd_system' ? systemUnit : (userUnit ?? systemUnit),
    system_managed: mode === 'systemd_system',
  };
}

/** Looks for the units of this project, and into the control group of its serve. */
export function unitFacts(project: string, configPath: string, pid: number | null): UnitFacts {
  const [user, system] = [findUnit('user', project, configPath), findUnit('system', project, configPath)];
  return {
    userUnit: user?.ours ? user.path : null,
    systemUnit: system?.ours ? system.path : null,
    runsIn: pid === null ? null : runsInUnit(cgroupOf(pid), nameOf(project)),
  };
}

/** Looks for the unit in the text of `/proc/<pid>/cgroup`; it is the same in every hierarchy that systemd manages. Pure. */
export function runsInUnit(cgroup: string, unit: string): UnitKind | null {
  const path = cgroup.split('\n').find((line) => `${line}/`.includes(`/${unit}/`));
  if (path === undefined) return null;
  return /\/user@\d+\.service\//.test(path) ? 'user' : 'system';
}

function nameOf(project: string): string {
  try {
    return unitName(project);
  } catch {
    return 'no unit can have the name';
  }
}

function cgroupOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cgroup`, 'utf8');
  } catch {
    return '';
  }
}
