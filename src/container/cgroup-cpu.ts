import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readCidfile } from './control-dir.ts';
import { containersByLabel, inspectContainer } from './engine.ts';
import { ROUND_LABEL } from './inject.ts';
import { namespaceCpuMeter } from './namespace-cpu.ts';
import type { Container } from './prepare.ts';

/** CPU time that the whole container has used so far, milliseconds; null when it cannot be read (it has ended). */
export type CpuMeter = () => number | null;

/**
 * Finds the container's own cgroup, once (one `inspect`): its work is not in our process tree, so an idle check that looks at the client
 * alone would call a busy agent idle. Reading the meter costs one file; where there is no such cgroup the pid namespace must do. null
 * while the container does not run (ask again later), and for an engine that is elsewhere.
 */
export async function containerCpuMeter(container: Container): Promise<CpuMeter | null> {
  const id = (container.cidfile === null ? null : readCidfile(container.cidfile).id) ?? (await idByLabel(container));
  if (id === null) return null;
  const state = await inspectContainer(container, id);
  // An operator's own cidfile may lie where the agent writes: a stranger's work is not ours.
  if (state === null || state === 'unknown' || state.pid <= 0 || state.roundId !== container.roundId) return null;
  const cgroups = readText(`/proc/${state.pid}/cgroup`);
  // The pid of an engine in a virtual machine or on another host would name a stranger here: its cgroup does not hold the id.
  if (cgroups === null || !cgroups.includes(id)) return namespaceCpuMeter(state.pid, container.roundId);
  const meter = cpuFiles(cgroups, id).find(({ path, read }) => parse(path, read) !== null);
  return meter === undefined ? null : () => parse(meter.path, meter.read);
}

async function idByLabel(container: Container): Promise<string | null> {
  const ids = await containersByLabel(container, `${ROUND_LABEL}=${container.roundId}`);
  return ids === 'unknown' ? null : (ids[0] ?? null);
}

interface CpuFile {
  path: string;
  read: (text: string) => number;
}

/** Where cgroup v2 (`0::/path`) and v1 (`4:cpu,cpuacct:/path`) keep it; a process's file lists one line a hierarchy. Pure. */
export function cpuFiles(cgroups: string, id: string): CpuFile[] {
  return cgroups.split('\n').flatMap((line): CpuFile[] => {
    const [hierarchy, controllers = '', ...rest] = line.split(':');
    const whole = rest.join(':');
    if (!whole.includes(id)) return [];
    // With --init or systemd inside, the main process may sit in a child of the container's cgroup: everything counts, so cut there.
    const path = whole.slice(0, whole.indexOf('/', whole.indexOf(id)) === -1 ? undefined : whole.indexOf('/', whole.indexOf(id)));
    if (hierarchy === '0') return [{ path: join('/sys/fs/cgroup', path, 'cpu.stat'), read: usageOfV2 }];
    if (!controllers.split(',').includes('cpuacct')) return [];
    return [{ path: join('/sys/fs/cgroup', controllers, path, 'cpuacct.usage'), read: (text) => Number(text.trim()) / 1e6 }];
  });
}

function usageOfV2(text: string): number {
  return Number(/^usage_usec (\d+)$/m.exec(text)?.[1] ?? Number.NaN) / 1000;
}

function parse(path: string, read: (text: string) => number): number | null {
  const text = readText(path);
  const value = text === null ? Number.NaN : read(text);
  return Number.isFinite(value) ? value : null;
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
