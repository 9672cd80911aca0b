import { randomUUID } from 'node:crypto';
import { pidNamespace } from '../process/proc.ts';
import { tryWriteJson } from '../state/atomic.ts';
import type { Layout } from '../state/layout.ts';
import { asProcessStart, ownStart, type ProcessStart } from '../state/process-start.ts';
import { removeFile } from '../state/remove.ts';

interface RunningHook {
  /** The value of the mark that its processes carry. */
  token: string;
  kind: string;
  name: string;
}

/** `state/hooks-in-flight-<pid>.json`: the user's programs that a supervisor has running now. */
export interface HooksInFlight {
  supervisor: ProcessStart;
  pid_ns: string;
  running: RunningHook[];
}

export interface HookJournal {
  /** Before the start: the new mark. */
  begin(kind: string, name: string): string;
  /** It is over, and with it everything that had to be ended. */
  end(token: string): void;
}

/** Not synced to the disk: who dies with the machine leaves nobody behind. A full disk costs the trace of a hook, not the hook. */
export function openHookJournal(paths: Layout): HookJournal {
  const file = paths.hooksInFlight(process.pid);
  const running = new Map<string, RunningHook>();
  const write = () => {
    if (running.size === 0) removeFile(file);
    else {
      const record: HooksInFlight = { supervisor: ownStart(), pid_ns: pidNamespace(), running: [...running.values()] };
      tryWriteJson(file, record, { durable: false });
    }
  };
  return {
    begin(kind, name) {
      const token = randomUUID();
      running.set(token, { token, kind, name });
      write();
      return token;
    },
    end(token) {
      running.delete(token);
      write();
    },
  };
}

/** Tolerant: what has not the shape is null, an entry that has it not is left out. */
export function asHooksInFlight(value: unknown): HooksInFlight | null {
  if (typeof value !== 'object' || value === null) return null;
  const { supervisor, pid_ns: namespace, running } = value as Record<string, unknown>;
  const start = asProcessStart(supervisor);
  if (start === null || !Array.isArray(running)) return null;
  return { supervisor: start, pid_ns: typeof namespace === 'string' ? namespace : '', running: running.flatMap(hookIn) };
}

function hookIn(value: unknown): RunningHook[] {
  const { token, kind, name } = (value ?? {}) as Record<string, unknown>;
  // A short token would be a mark that strangers could carry.
  return typeof token === 'string' && /^[0-9a-f-]{36}$/.test(token) ? [{ token, kind: String(kind), name: String(name) }] : [];
}
