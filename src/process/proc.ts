import { closeSync, openSync, readdirSync, readFileSync, readlinkSync, readSync } from 'node:fs';
import { errnoOf } from '../util/errors.ts';
import { isAlive, type ProcessEntry, parseStat } from './stat.ts';

/** A variable in a process's environment that says which run it belongs to. */
export interface Mark {
  name: string;
  value: string;
  /**
   * Only processes of our own pid namespace count: a container gets the variable too, and what lives in it is its engine's to end.
   * (A run with a pid namespace that we made ourselves must not set this.)
   */
  ownNamespaceOnly?: boolean;
}

const hasProc = process.platform === 'linux';

/** Changes with every boot; a pid and a start time mean something only together with it. Empty where there is no /proc. */
export function bootId(): string {
  return readText('/proc/sys/kernel/random/boot_id').trim();
}

/** Inode number of our pid namespace: a pid that was written down in another one names a different process here. Empty without /proc. */
export function pidNamespace(): string {
  return pidNamespaceOf('self');
}

/** The same of another process. Empty when it may not be read: another user's process, or one that has ended. */
export function pidNamespaceOf(pid: number | 'self'): string {
  try {
    return /\d+/.exec(readlinkSync(`/proc/${pid}/ns/pid`))?.[0] ?? '';
  } catch {
    return '';
  }
}

/** Loaded only where it is needed: it brings the whole of execa along, and `peek` must start fast. */
const listByPs = async (): Promise<ProcessEntry[]> => (await import('./ps.ts')).listByPs();

/** Every process of this pid namespace. Linux: about 10 microseconds each, without a child process; elsewhere one `ps`. */
export async function listProcesses(): Promise<ProcessEntry[]> {
  if (!hasProc) return listByPs();
  const entries: ProcessEntry[] = [];
  for (const name of readdirSync('/proc')) {
    const first = name.charCodeAt(0);
    if (first < 0x31 || first > 0x39) continue;
    const entry = readProcess(Number(name));
    if (entry) entries.push(entry);
  }
  return entries;
}

const GONE = new Set(['ENOENT', 'ESRCH', 'EACCES', 'EPERM']);

/** Big enough for any stat line; one for all, because the whole table is read in one synchronous go. */
const statBuffer = Buffer.allocUnsafe(4096);

/** One process, or null when there is none with this pid (or no /proc). A zombie still has an entry. */
export function readProcess(pid: number): ProcessEntry | null {
  if (!hasProc) return null;
  let descriptor: number | undefined;
  try {
    descriptor = openSync(`/proc/${pid}/stat`, 'r');
    const length = readSync(descriptor, statBuffer, 0, statBuffer.length, 0);
    return parseStat(statBuffer.toString('utf8', 0, length));
  } catch (error) {
    // It ended meanwhile. Anything else (no descriptors left) must not read as "dead".
    if (GONE.has(errnoOf(error) ?? '')) return null;
    throw error;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** Who this pid is now. Start time 0 = it is gone already. Right after a spawn the child always has an entry, at least as a zombie. */
export async function identify(pid: number): Promise<{ pid: number; startTicks: number }> {
  const entry = hasProc ? readProcess(pid) : (await listByPs()).find((process) => process.pid === pid);
  return { pid, startTicks: entry?.startTicks ?? 0 };
}

/** True while the process with this pid AND start time lives. Without /proc a signal 0 has to do: it knows no start time and counts zombies. */
export function isLiving(identity: { pid: number; startTicks: number }): boolean {
  if (hasProc) {
    const entry = readProcess(identity.pid);
    return entry !== null && entry.startTicks === identity.startTicks && isAlive(entry);
  }
  try {
    process.kill(identity.pid, 0);
    return true;
  } catch {
    return false;
  }
}

/**
 * Whether the environment with which the process was started holds the mark. 'blank' = it is empty: on purpose (`env -i`), or because
 * the process is just inside execve, where the kernel shows none for a moment. Another user's process is 'no' (EACCES).
 */
export function carriesMark(pid: number, mark: Mark): 'yes' | 'no' | 'blank' {
  if (!hasProc) return 'no';
  let environment: Buffer;
  try {
    environment = readFileSync(`/proc/${pid}/environ`);
  } catch {
    return 'no';
  }
  if (environment.length === 0) return 'blank';
  const assignment = Buffer.from(`${mark.name}=${mark.value}\0`);
  const first = environment.subarray(0, assignment.length).equals(assignment);
  if (!first && !environment.includes(`\0${assignment}`)) return 'no';
  return mark.ownNamespaceOnly && pidNamespaceOf(pid) !== pidNamespace() ? 'no' : 'yes';
}

/** The command line with spaces between its arguments, at most `maxChars`: for matching patterns, never for storing. Empty when unknown. */
export function commandLine(pid: number, maxChars = 4096): string {
  return readText(`/proc/${pid}/cmdline`).slice(0, maxChars).replaceAll('\0', ' ').trimEnd();
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
