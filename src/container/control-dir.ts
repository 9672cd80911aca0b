import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BoundedRead, readBounded } from './bounded-read.ts';

/** Where the control directory appears inside the container; AGENT_RUNNER_LOG_DIR points there. */
export const CONTROL_MOUNT = '/run/agent-runner';

/** As for `.agent-done` in log_dir: the reason is cut at 200 characters later, more than this is not a reason. */
const LARGEST_DONE_BYTES = 4096;
const CID_BYTES = 64;

/** A copy for the agent to read. Writing on it changes nothing: the supervisor never reads it back. */
export function writeRoundContext(controlDir: string, json: string): void {
  writeFileSync(join(controlDir, 'round-context.json'), json, { mode: 0o644 });
}

export type AgentDone = { done: false } | { done: true; reason: string } | { done: false; refused: string };

/** Did the agent write `.agent-done` in its control directory? Its text is data, nothing else. A symlink, FIFO or device counts as refused. */
export function readAgentDone(controlDir: string): AgentDone {
  const read = readBounded(join(controlDir, '.agent-done'), LARGEST_DONE_BYTES);
  if (read.kind === 'missing') return { done: false };
  if (read.kind === 'refused') return { done: false, refused: read.reason };
  return { done: true, reason: read.text.trim().slice(0, 200) };
}

export type CidRead = { id: string } | { id: null; reason: 'missing' | 'empty' | 'forged' };

/**
 * The container id that the engine wrote: 64 hexadecimal digits and at most a newline. Anything else (`--all`, 5 MiB, a symlink) is no id:
 * the file may lie where the agent can write when the operator chose its place.
 */
export function readCidfile(path: string): CidRead {
  const read: BoundedRead = readBounded(path, CID_BYTES + 2);
  if (read.kind === 'missing') return { id: null, reason: 'missing' };
  if (read.kind === 'refused') return { id: null, reason: 'forged' };
  const text = read.text.trim();
  if (text === '') return { id: null, reason: 'empty' };
  return isContainerId(text) ? { id: text } : { id: null, reason: 'forged' };
}

export function isContainerId(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text);
}
