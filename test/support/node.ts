import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

export interface Script {
  child: ChildProcess;
  /** Everything on stdout so far. */
  output(): string;
  /** Exit code, or the signal's name. */
  ended: Promise<number | string>;
}

/** Runs a script of test/scripts/ as a process of its own; killed at the end of the test if it still lives. */
export function startScript(name: string, ...args: string[]): Script {
  const path = fileURLToPath(new URL(`../scripts/${name}`, import.meta.url));
  const child = spawn(process.execPath, ['--import', import.meta.resolve('tsx'), path, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    text += chunk;
  });
  const ended = new Promise<number | string>((resolve) => {
    child.once('close', (code, signal) => resolve(code ?? signal ?? ''));
  });
  onTestFinished(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    await ended;
  });
  return { child, output: () => text, ended };
}
