/** One process, as one look at the kernel's table found it. */
export interface ProcessEntry {
  pid: number;
  ppid: number;
  pgid: number;
  /** 0 where the system does not tell (macOS). */
  sid: number;
  /** One letter: R, S, D, T (stopped), t (traced), Z (zombie), X (dead), I (idle kernel thread). */
  state: string;
  /** Together with the pid, an identity: clock ticks since boot on Linux, epoch seconds on macOS. */
  startTicks: number;
  /** CPU of the process itself and of children that it has waited for, in clock ticks of 10 ms. */
  cpuTicks: number;
  threads: number;
  /** Kernel `comm`, at most 15 bytes; never argv. */
  comm: string;
}

/** USER_HZ: 100 on every architecture that Node supports on Linux, whatever CONFIG_HZ is. */
export const TICK_MS = 10;

/**
 * Dead is also who is only waiting to be reaped: nobody may ever reap it, and no signal changes it. But a process whose main thread
 * called pthread_exit reads Z while its other threads run on.
 */
export function isAlive(entry: ProcessEntry): boolean {
  return (entry.state !== 'Z' && entry.state !== 'X') || entry.threads > 1;
}

/**
 * Reads `/proc/<pid>/stat`. The second field is the command name in parentheses and may itself hold spaces, parentheses and newlines:
 * it ends at the LAST `)`. Null for text that is not such a line (a process that ended between open and read gives an empty one).
 */
export function parseStat(text: string): ProcessEntry | null {
  const open = text.indexOf('(');
  const close = text.lastIndexOf(')');
  if (open < 1 || close < open) return null;
  const fields = text.slice(close + 2).split(' ');
  const field = (number: number) => Number(fields[number - FIRST_FIELD_AFTER_COMM]);
  const entry: ProcessEntry = {
    pid: Number(text.slice(0, open)),
    ppid: field(4),
    pgid: field(5),
    sid: field(6),
    state: fields[0] ?? '',
    startTicks: field(22),
    cpuTicks: field(14) + field(15) + field(16) + field(17),
    threads: field(20),
    comm: text.slice(open + 1, close),
  };
  return Number.isInteger(entry.pid) && Number.isFinite(entry.startTicks) ? entry : null;
}

/** Numbers as in proc_pid_stat(5): field 3, the state, is the first one after the name. */
const FIRST_FIELD_AFTER_COMM = 3;
