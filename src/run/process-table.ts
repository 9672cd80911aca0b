import { carriesMark, commandLine, isLiving, listProcesses, type Mark } from '../process/proc.ts';
import type { ProcessEntry } from '../process/stat.ts';
import type { ProcessIdentity } from './types.ts';

/** All that ending a run asks of the kernel, and all that it does to it. Tests put a simulated one here. */
export interface ProcessTable {
  ownPid: number;
  list(): Promise<ProcessEntry[]>;
  isLiving(identity: ProcessIdentity): boolean;
  carriesMark(pid: number, mark: Mark): 'yes' | 'no' | 'blank';
  /** At most 4,096 characters; empty when unknown. */
  commandLine(pid: number): string;
  /** A negative target is a process group. False when nobody got the signal: gone (ESRCH), or another user's (EPERM). */
  signal(target: number, signal: NodeJS.Signals): boolean;
}

export const hostProcesses: ProcessTable = {
  ownPid: process.pid,
  list: listProcesses,
  isLiving,
  carriesMark,
  commandLine,
  signal(target, signal) {
    try {
      return process.kill(target, signal);
    } catch {
      return false;
    }
  },
};
