import { spawn } from 'node:child_process';
import { onTestFinished } from 'vitest';

/** A process that has nothing to do with us and must live through whatever a test does. */
export function onlooker(): { pid: number; lives(): boolean } {
  const child = spawn('sleep', ['600'], { stdio: 'ignore' });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  return { pid: child.pid as number, lives: () => child.exitCode === null && child.signalCode === null };
}
