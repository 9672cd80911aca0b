import { readdirSync, readFileSync, readlinkSync, type Stats, statSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { Emit } from '../events/emit.ts';
import { locationOf, type Repo } from './repo.ts';

/** A lock younger than this may belong to a git that this machine just has not let us see. */
const STALE_AFTER_MS = 10_000;
/** How long we wait for a lock to go, or to get old enough. */
const WAIT_MS = 12_000;
const CHECK_MS = 250;

export type LockVerdict = 'absent' | 'cleared' | 'held';

/**
 * Deals with an `index.lock` in our way: waits at most 12 s for its holder to finish, removes it (and says so) once it is older than
 * 10 s and no live process holds it. Where the holder cannot be known (no /proc) it stays.
 */
export async function clearStaleIndexLock(repo: Repo, emit: Emit, roundNum: number): Promise<LockVerdict> {
  const location = locationOf(repo);
  if (location === null) return 'absent';
  const path = join(location.gitDir, 'index.lock');
  const giveUpAt = repo.clock.monotonic() + WAIT_MS;
  for (;;) {
    const lock = statSync(path, { throwIfNoEntry: false });
    if (!lock) return 'absent';
    if (repo.clock.now() - lock.mtimeMs > STALE_AFTER_MS && !isHeld(lock, location.top) && remove(path, lock)) {
      emit('stale_index_lock_cleared', { lock_path: path, round_num: roundNum });
      return 'cleared';
    }
    if (repo.clock.monotonic() >= giveUpAt) return 'held';
    await repo.clock.sleep(CHECK_MS);
  }
}

function remove(path: string, lock: Stats): boolean {
  try {
    // The scan took a while: by now it may be somebody else's new lock.
    if (!isSame(statSync(path), lock)) return false;
    unlinkSync(path);
    return true;
  } catch {
    return false;
  }
}

/**
 * True when a live process has the lock open, or is a git at work in this work tree: `git commit` closes its lock while hooks run.
 * Files are compared by inode, since a process in a container knows this one by another path.
 */
function isHeld(lock: Stats, top: string): boolean {
  try {
    const here = statSync(top);
    return readdirSync('/proc').some((pid) => /^\d+$/.test(pid) && Number(pid) !== process.pid && holds(pid, lock, here));
  } catch {
    return true; // No /proc: nothing is proven.
  }
}

function holds(pid: string, lock: Stats, here: Stats): boolean {
  try {
    if (readFileSync(`/proc/${pid}/comm`, 'utf8').startsWith('git')) {
      if (isDead(pid)) return false;
      const cwd = statOf(`/proc/${pid}/cwd`);
      // Another user's git shows nothing of itself: it may be at work here.
      if (cwd === 'unknown' || (cwd !== null && isSame(cwd, here))) return true;
    }
    return readdirSync(`/proc/${pid}/fd`).some((fd) => {
      const path = `/proc/${pid}/fd/${fd}`;
      if (!readlinkSync(path).includes('index.lock')) return false;
      const open = statOf(path);
      return open !== null && open !== 'unknown' && isSame(open, lock);
    });
  } catch {
    return false; // It ended meanwhile, or it is another user's and no git.
  }
}

function isDead(pid: string): boolean {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return /^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2));
}

function statOf(path: string): Stats | null | 'unknown' {
  try {
    return statSync(path);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EACCES' ? 'unknown' : null;
  }
}

function isSame(a: Stats, b: Stats): boolean {
  return a.ino === b.ino && a.dev === b.dev;
}
