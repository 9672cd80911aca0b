import { closeSync, constants, mkdtempSync, openSync, rmSync } from 'node:fs';
import { type OnReadOpts, Socket, type SocketConstructorOpts } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand } from '../process/command.ts';

/**
 * The two ends of the agent's standard streams. The child's descriptors are blocking and of their own description: an agent that meets
 * EAGAIN on its stdout loses output.
 */
export interface Channels {
  output: { child: number; own: number };
  input: { child: number; own: number } | null;
}

const MKFIFO_TIMEOUT_MS = 5_000;

/**
 * FIFOs instead of Node's `stdio: 'pipe'`, which is a socket pair: opening /dev/stderr, as shell scripts do, fails on a socket with
 * ENXIO. Stdout and stderr share one FIFO, so their order is kept. The names are gone before the agent starts. Null when this place
 * knows no FIFOs. See docs/decisions/fifo-for-agent-output.md.
 */
export async function openChannels(withInput: boolean): Promise<Channels | null> {
  let folder: string | undefined;
  const opened: number[] = [];
  const open = (name: string, flags: number) => {
    const descriptor = openSync(name, flags);
    opened.push(descriptor);
    return descriptor;
  };
  try {
    folder = mkdtempSync(join(tmpdir(), 'agent-runner-'));
    const out = join(folder, 'output');
    const into = join(folder, 'input');
    // 0666: an agent behind `sudo -u` opens /dev/stderr as another user. Only our folder, mode 0700, leads to the name, and not for long.
    const made = await runCommand(['mkfifo', '-m', '666', out, ...(withInput ? [into] : [])], { timeoutMs: MKFIFO_TIMEOUT_MS });
    if (made.code !== 0) return null;
    // A reader must exist first, or opening for writing would block (or fail, non-blocking).
    const output = { own: open(out, constants.O_RDONLY | constants.O_NONBLOCK), child: open(out, constants.O_WRONLY) };
    if (!withInput) return { output, input: null };
    const holder = openSync(into, constants.O_RDWR | constants.O_NONBLOCK);
    try {
      return { output, input: { child: open(into, constants.O_RDONLY), own: open(into, constants.O_WRONLY | constants.O_NONBLOCK) } };
    } finally {
      closeSync(holder);
    }
  } catch {
    for (const descriptor of opened) closeSync(descriptor);
    return null;
  } finally {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  }
}

/** The child has its copies: with ours open we would never see the end of its output, nor it the end of its input. */
export function closeChildEnds({ output, input }: Channels): void {
  closeSync(output.child);
  if (input) closeSync(input.child);
}

/** Nobody was started: nobody will read or write. */
export function closeOwnEnds({ output, input }: Channels): void {
  closeSync(output.own);
  if (input) closeSync(input.own);
}

export interface Reading {
  /** Resolves when the last writer closed, or after `stop`. */
  ended: Promise<void>;
  stop(): void;
}

/** As much as a pipe holds: no read ever brings more. */
const READ_BYTES = 64 * 1024;

/** Hands over everything that comes, at once and always. `onChunk` must not keep the chunk: the next one overwrites it. */
export function readOutput(source: number | Socket, onChunk: (chunk: Buffer) => void): Reading {
  const socket = typeof source === 'number' ? ownBufferSocket(source, Buffer.allocUnsafe(READ_BYTES), onChunk) : source;
  if (typeof source !== 'number') socket.on('data', onChunk);
  const ended = new Promise<void>((resolve) => {
    socket.once('end', resolve);
    socket.once('close', () => resolve());
  });
  socket.on('error', () => socket.destroy());
  socket.resume();
  return { ended, stop: () => socket.destroy() };
}

/** One buffer for the whole run: without it each read allocates, and 1 GB of output becomes 1 GB of garbage. */
function ownBufferSocket(fd: number, buffer: Buffer, onChunk: (chunk: Buffer) => void): Socket {
  const callback = (length: number) => {
    onChunk(buffer.subarray(0, length));
    return true;
  };
  // The type definitions know `onread` for connections only; the constructor has taken it since Node 12.10.
  const options: SocketConstructorOpts & { onread: OnReadOpts } = { fd, readable: true, writable: false, onread: { buffer, callback } };
  return new Socket(options);
}

/** Writes the text and closes. The agent may read slowly, never, or be gone: that is its right, so EPIPE is no error here. */
export function feedInput(target: number | Socket, text: string): { stop(): void } {
  const socket = typeof target === 'number' ? new Socket({ fd: target, readable: false, writable: true }) : target;
  socket.on('error', () => socket.destroy());
  socket.write(text, () => socket.destroy());
  return { stop: () => socket.destroy() };
}
