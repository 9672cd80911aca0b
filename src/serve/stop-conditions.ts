import { closeSync, constants, openSync, readSync } from 'node:fs';
import type { Config } from '../config/schema.ts';
import type { Emit } from '../events/emit.ts';
import type { Layout } from '../state/layout.ts';
import { removeFile } from '../state/remove.ts';
import { lstatOrNull } from '../util/stat.ts';

/** Agents and people write a reason into these files; more of it than this is not read. */
const MOST_CONTENT_BYTES = 200;

/** A deliberate end of serve that is nobody's fault. */
export interface CleanStop {
  reason: 'agent_done' | 'stop_file' | 'max_rounds';
  sentence: string;
}

/** The agent said that there is nothing left to do. The file is spent by being read. */
export function agentDone(paths: Layout, emit: Emit): CleanStop | null {
  const reason = contentOf(paths.agentDone);
  if (reason === null) return null;
  removeFile(paths.agentDone);
  emit('agent_self_terminated', { reason });
  return { reason: 'agent_done', sentence: `the agent said that it is done${reason === '' ? '' : `: ${reason}`}` };
}

export function stopFile({ runtime }: Config, emit: Emit, roundsCompleted: number): CleanStop | null {
  if (runtime.stop_file === null) return null;
  const content = contentOf(runtime.stop_file);
  if (content === null) return null;
  emit('stop_file_detected', { stop_file: runtime.stop_file, content, rounds_completed: roundsCompleted });
  return { reason: 'stop_file', sentence: `the stop file ${runtime.stop_file} is there${content === '' ? '' : `: ${content}`}` };
}

export function maxRounds(most: number | null, emit: Emit, roundsCompleted: number): CleanStop | null {
  if (most === null || roundsCompleted < most) return null;
  emit('max_rounds_reached', { rounds_completed: roundsCompleted, max_rounds: most });
  return { reason: 'max_rounds', sentence: `${roundsCompleted} of ${most} rounds are done` };
}

/** The first bytes of a file as one line; null when there is none. An agent may have put anything there, a FIFO too: never blocks. */
function contentOf(path: string): string | null {
  let descriptor: number;
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  } catch {
    // A link, or a file that we may not read, is there all the same: its presence is the message. In a folder that is none, nothing is.
    return lstatOrNull(path) === null ? null : '';
  }
  try {
    const buffer = Buffer.alloc(MOST_CONTENT_BYTES);
    const length = readSync(descriptor, buffer, 0, MOST_CONTENT_BYTES, null);
    return buffer.toString('utf8', 0, length).replace(/\s+/g, ' ').trim();
  } catch {
    return '';
  } finally {
    closeSync(descriptor);
  }
}
