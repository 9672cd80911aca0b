// hold-lock.ts PATH: takes the lock, starts a child that outlives it, says both pids, and waits to be killed.
import { spawn } from 'node:child_process';
import { writeHolder } from '../../src/state/holder.ts';
import { acquireLock } from '../../src/state/lock.ts';

const path = process.argv[2] ?? '';
const lock = await acquireLock(path);
if (lock === null) {
  console.log('held');
} else {
  writeHolder(`${path}.holder`);
  const child = spawn('sleep', ['60'], { detached: true, stdio: 'ignore' });
  console.log(`locked ${child.pid}`);
  setInterval(() => {}, 60_000);
}
