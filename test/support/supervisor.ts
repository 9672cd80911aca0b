import { type ChildProcess, spawn } from 'node:child_process';
import { resolve } from 'node:path';
import type { ProcessIdentity, RunReport, RunSpec } from '../../src/run/types.ts';

export interface Supervisor {
  child: ChildProcess;
  spawned: Promise<ProcessIdentity>;
  /** Rejects when the supervisor ends without a report. */
  report: Promise<RunReport>;
  ended: Promise<number | null>;
}

/** A run under a supervisor that is a process of its own, so that it can be killed. `wrapper` comes before the interpreter. */
export function startSupervisor(
  spec: RunSpec,
  { wrapper = [], nodeOptions = [] }: { wrapper?: string[]; nodeOptions?: string[] } = {},
): Supervisor {
  const script = resolve(import.meta.dirname, 'run-one.ts');
  const [file = '', ...args] = [...wrapper, process.execPath, ...nodeOptions, '--import', 'tsx', script, JSON.stringify(spec)];
  const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'inherit'], detached: true });
  const lines: ((line: string) => void)[] = [];
  const nextLine = () => new Promise<string>((done) => lines.push(done));
  const spawned = nextLine().then((line) => JSON.parse(line) as ProcessIdentity);
  const first = nextLine().then((line) => JSON.parse(line) as RunReport);
  let text = '';
  child.stdout?.on('data', (chunk) => {
    text += chunk;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n')) {
      lines.shift()?.(text.slice(0, end));
      text = text.slice(end + 1);
    }
  });
  const ended = new Promise<number | null>((done) => child.once('close', (code) => done(code)));
  const report = Promise.race([
    first,
    ended.then((code) => {
      throw new Error(`the supervisor ended without a report: ${code}`);
    }),
  ]);
  report.catch(() => {});
  return { child, spawned, report, ended };
}
