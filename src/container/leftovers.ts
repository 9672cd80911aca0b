import { readFileSync } from 'node:fs';
import { hostPids } from './host-pids.ts';

/**
 * Host pids of processes that live in the container's own cgroup: its path ends in the 64-digit id, which nobody else has. The last
 * proof, and the last means: podman (4.3) forgets a container whose client was killed while it was being made, but its `runc init` stays
 * (which, without a cgroup of its own, names the id in its environment). One pass over /proc; empty where there is none, or where the
 * engine is elsewhere.
 */
export function processesInContainer(id: string): number[] {
  const beingMade = new RegExp(`_LIBCONTAINER_STATEDIR=[^\\0]*/${id}\\0`);
  return hostPids().filter((pid) => (text(pid, 'cgroup').includes(id) || beingMade.test(text(pid, 'environ'))) && !isZombie(pid));
}

/** SIGKILL to each of them; returns those that were signalled. The id was read from the process's own cgroup just now. */
export function killProcessesInContainer(id: string): number[] {
  return processesInContainer(id).filter((pid) => {
    try {
      process.kill(pid, 'SIGKILL');
      return true;
    } catch {
      // Gone meanwhile, or of a sub-uid that we may not signal.
      return false;
    }
  });
}

/** Dead, and only waiting to be reaped by a pid 1 that may never do it. The state follows the last `)`: a name may hold brackets. */
function isZombie(pid: number): boolean {
  const stat = text(pid, 'stat');
  return stat.charAt(stat.lastIndexOf(')') + 2) === 'Z';
}

function text(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1');
  } catch {
    return '';
  }
}
