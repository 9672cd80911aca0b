import { accessSync, constants, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** What this host's control groups let a supervisor do, as found when asked. */
export interface CgroupFacts {
  /** `hybrid`: version 1 with a version 2 tree beside it, which has processes and `cgroup.kill` but no memory. `none`: not Linux. */
  version: 'v2' | 'hybrid' | 'v1' | 'none';
  /** Our own cgroup of version 2 as the kernel names it, without the sub-leaf that we may be in; null without a version 2 tree. */
  path: string | null;
  /** The folder of that cgroup; null when it is not visible from here. */
  folder: string | null;
  /** Whether we may make cgroups below it: the service manager has handed it to us. */
  delegated: boolean;
  /** Controllers that can be given to cgroups below it (`memory`, `pids` ...). */
  controllers: string[];
  /** The bounds in force on it, bytes; null = none (or not told). `memory` itself is null where there is no memory controller. */
  memory: { max: number | null; high: number | null; swapMax: number | null } | null;
}

/** The supervisor's own sub-leaf. Inner cgroups with controllers must be empty of processes, so it cannot stay above its rounds. */
export const SUPERVISOR_LEAF = 'supervisor';
/** A unit that we wrote has Delegate=yes. */
const OUR_UNIT = /^agent-runner@.*\.service$/;

/** Where things are read from; tests give a folder of their own. */
export interface CgroupView {
  /** /proc/self/cgroup */
  cgroup: string;
  /** /proc/self/mountinfo */
  mountinfo: string;
  /** Put before every path that is looked at. */
  root: string;
}

function hostView(): CgroupView {
  return { cgroup: read('/proc/self/cgroup'), mountinfo: read('/proc/self/mountinfo'), root: '' };
}

export function cgroupFacts(view: CgroupView = hostView()): CgroupFacts {
  const mount = cgroup2Mount(view.mountinfo);
  const raw = unifiedPath(view.cgroup);
  const none = { path: null, folder: null, delegated: false, controllers: [], memory: null };
  if (view.cgroup === '') return { version: 'none', ...none };
  if (raw === null || mount === null) return { version: 'v1', ...none };
  const version = /^\d+:[^:]+:/m.test(view.cgroup) ? 'hybrid' : 'v2';
  const path = basename(raw) === SUPERVISOR_LEAF ? dirname(raw) : raw;
  const below = withoutPrefix(path, mount.root);
  if (below === null) return { version, ...none, path };
  const folder = join(view.root, mount.at, below === '/' ? '' : below);
  const controllers = read(join(folder, 'cgroup.controllers')).split(/\s+/).filter(Boolean);
  return {
    version,
    path,
    folder,
    delegated: isDelegated(path, folder),
    controllers,
    memory: controllers.includes('memory')
      ? { max: bytes(folder, 'memory.max'), high: bytes(folder, 'memory.high'), swapMax: bytes(folder, 'memory.swap.max') }
      : null,
  };
}

/**
 * Being allowed to write there is not enough: root is everywhere, and a user is in every cgroup of their own service manager, which
 * manages them alone. Ours is the cgroup of a unit that we wrote, and the root of a tree where nobody manages anything (a container, a
 * machine without systemd).
 */
function isDelegated(path: string, folder: string): boolean {
  if (!['', 'cgroup.procs', 'cgroup.subtree_control'].every((name) => writable(join(folder, name)))) return false;
  return path === '/' || OUR_UNIT.test(basename(path));
}

/** The `0::` line: the path in the version 2 hierarchy. */
export function unifiedPath(cgroup: string): string | null {
  return /^0::(\/.*)$/m.exec(cgroup)?.[1] ?? null;
}

/** Where a cgroup2 file system is mounted and which cgroup lies there; the first that shows all of it. Octal escapes are undone. */
function cgroup2Mount(mountinfo: string): { root: string; at: string } | null {
  const mounts = mountinfo.split('\n').flatMap((line) => {
    const [head = '', tail = ''] = line.split(' - ');
    const [, , , root = '', at = ''] = head.split(' ');
    return tail.startsWith('cgroup2 ') ? [{ root: unescaped(root), at: unescaped(at) }] : [];
  });
  return mounts.find(({ root }) => root === '/') ?? mounts[0] ?? null;
}

function unescaped(field: string): string {
  return field.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}

/** `path` as seen from a mount that shows `root`; null when it lies elsewhere (`/..` in a nested namespace). */
function withoutPrefix(path: string, root: string): string | null {
  if (root === '/') return path.startsWith('/..') ? null : path;
  if (path === root) return '/';
  return path.startsWith(`${root}/`) ? path.slice(root.length) : null;
}

function bytes(folder: string, name: string): number | null {
  const value = Number(read(join(folder, name)).trim() || 'max');
  return Number.isFinite(value) ? value : null;
}

function writable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
