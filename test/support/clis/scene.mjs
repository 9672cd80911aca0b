// Runs inside the namespace, as the unprivileged user: drives agent-runner through one situation, then looks who still lives there.
// Argument: JSON { main, args, drive, logs, marker, control, later, limitMs }; prints a JSON report as its last line.
//
//   run       the verb, to its end
//   waiting   serve until it waits after its round; what it waits for is told; then `stop`
//   stop      serve until the tool works; `stop`, and its end
//   kill      serve until the tool works; `kill`
//   crash     serve until the tool works; SIGKILL for it; the model does as `later` says from now on; serve again
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const { main, args, drive, logs, marker, control, later, limitMs } = JSON.parse(process.argv[2]);
const report = { codes: [], wait: null, peek: null, said: '', survivors: [] };

function start(...words) {
  const child = spawn(process.execPath, [main, ...words], { stdio: ['ignore', 'pipe', 'pipe'] });
  let stdout = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      stdout += chunk;
    });
  }
  const ended = new Promise((resolve) => {
    child.once('close', (code, signal) => {
      report.said += `$ agent-runner ${words.join(' ')}\n${stdout}`;
      resolve({ code: code ?? signal, stdout });
    });
  });
  return { child, ended };
}

async function run(...words) {
  const one = start(...words);
  const late = setTimeout(() => one.child.kill('SIGKILL'), limitMs);
  const result = await one.ended;
  clearTimeout(late);
  return result;
}

async function until(what, condition) {
  const end = performance.now() + limitMs;
  while (!condition()) {
    if (performance.now() > end) throw new Error(`not within ${limitMs} ms: ${what}`);
    await sleep(50);
  }
}

function events() {
  const files = existsSync(logs) ? readdirSync(logs).filter((name) => name.startsWith('events-')) : [];
  const lines = files.flatMap((name) => readFileSync(join(logs, name), 'utf8').split('\n'));
  return lines.filter((line) => line.endsWith('}')).map((line) => JSON.parse(line));
}

function wait() {
  try {
    return JSON.parse(readFileSync(join(logs, 'state/wait.json'), 'utf8'));
  } catch {
    return null;
  }
}

const DRIVES = {
  async run() {
    report.codes.push((await run(...args)).code);
  },
  async waiting() {
    const serve = start(...args);
    const over = () => serve.child.exitCode !== null || serve.child.signalCode !== null;
    await until('a wait after the round', () => over() || (events().some(({ event }) => event === 'round_end') && wait() !== null));
    // Between the end of the round and the gates there is a moment in which only the delay is known.
    await sleep(2_000);
    report.wait = wait();
    report.peek = (await run('peek')).stdout.split('\n', 1)[0];
    if (!over()) await run('stop');
    report.codes.push((await serve.ended).code);
  },
  async stop() {
    const serve = start(...args);
    await until('the tool works', () => existsSync(marker));
    await run('stop');
    report.codes.push((await serve.ended).code);
  },
  async kill() {
    const serve = start(...args);
    await until('the tool works', () => existsSync(marker));
    report.codes.push((await run('kill')).code, (await serve.ended).code);
  },
  async crash() {
    const serve = start(...args);
    await until('the tool works', () => existsSync(marker));
    serve.child.kill('SIGKILL');
    report.codes.push((await serve.ended).code);
    writeFileSync(control, JSON.stringify(later));
    report.codes.push((await run(...args)).code);
  },
};

/** Whoever lives in this PID namespace beside its first process, the model server and us. */
function others() {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 1 && pid !== process.pid)
    .flatMap((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
        if (/^\d+ \(.*\) [ZX]/s.test(stat)) return [];
        const argv = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
        return argv.some((word) => word.endsWith('/mock-model/main.mjs')) ? [] : [{ pid, argv: argv.join(' ').slice(0, 100) }];
      } catch {
        return [];
      }
    });
}

try {
  await DRIVES[drive]();
} catch (error) {
  report.problem = String(error);
}
// Nobody is waited for: what agent-runner reported as gone is gone.
report.survivors = others();
process.stdout.write(`${JSON.stringify(report)}\n`);
process.exit(0);
