import { runCommand } from './command.ts';
import type { ProcessEntry } from './stat.ts';
import { TICK_MS } from './stat.ts';

/** Understood by the `ps` of macOS, of the BSDs and of procps, so that it can be tested on Linux too. */
const COLUMNS = 'pid=,ppid=,pgid=,stat=,time=,lstart=,ucomm=';
const LINE = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+([\d:.-]+)\s+(\w{3}\s+\w{3}\s+\d+\s+[\d:]{8}\s+\d{4})\s+(.*)$/;

/** The process table where there is no /proc; empty when `ps` fails. */
export async function listByPs(): Promise<ProcessEntry[]> {
  const { stdout } = await runCommand(['ps', '-axo', COLUMNS], { env: { ...process.env, LC_ALL: 'C' } });
  return parsePs(stdout);
}

/** The lines of `ps -axo pid=,ppid=,pgid=,stat=,time=,lstart=,ucomm=` in the C locale; what is not such a line is skipped. */
export function parsePs(text: string): ProcessEntry[] {
  return text.split('\n').flatMap((line) => {
    const match = LINE.exec(line);
    if (!match) return [];
    const [, pid, ppid, pgid, state = '', time = '', started = '', comm = ''] = match;
    return {
      pid: Number(pid),
      ppid: Number(ppid),
      pgid: Number(pgid),
      sid: 0,
      state: state.charAt(0),
      startTicks: Date.parse(started) / 1000,
      cpuTicks: Math.round((parseCpuTime(time) * 1000) / TICK_MS),
      threads: 1,
      comm: comm.trim(),
    };
  });
}

/** `1-02:03:04`, `02:03:04` (procps) and `3:04.56` (BSD), in seconds. */
function parseCpuTime(text: string): number {
  const [clock = '', days = '0'] = text.split('-').reverse();
  return clock.split(':').reduce((total, part) => total * 60 + Number(part), 0) + Number(days) * 86_400;
}
