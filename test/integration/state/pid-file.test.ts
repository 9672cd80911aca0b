import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCommand } from '../../../src/process/command.ts';
import { readPidFile, removePidFile, writePidFile } from '../../../src/state/pid-file.ts';
import { ownStart, stillLives } from '../../../src/state/process-start.ts';
import { testFolder } from '../../support/folder.ts';
import { requirePart, SYSTEM_PYTHON } from '../../support/parts.ts';
import { until } from '../../support/wait.ts';

function pidFile(content: unknown): string {
  const path = join(testFolder(), 'serve.pid');
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

describe('serve.pid', () => {
  it('names this process as long as it lives', (context) => {
    requirePart(context, 'linux');
    const path = join(testFolder(), 'serve.pid');
    expect(readPidFile(path)).toBeNull();
    writePidFile(path);
    expect(readPidFile(path)).toMatchObject({ pid: process.pid, verified: true });
    const keys = Object.keys(JSON.parse(readFileSync(path, 'utf8')));
    expect(keys).toEqual(['pid', 'create_time', 'start_ticks', 'boot_id']);
    removePidFile(path);
    expect(existsSync(path)).toBe(false);
  });

  it('scar 64, field bug 15: a pid that lives but was given to somebody else is nobody', (context) => {
    requirePart(context, 'linux');
    const own = ownStart();
    const recycled = [
      { ...own, start_ticks: (own.start_ticks ?? 0) - 1 },
      { ...own, boot_id: '00000000-0000-0000-0000-000000000000' },
      { pid: own.pid, create_time: (own.create_time ?? 0) - 1.5 },
    ];
    for (const start of recycled) expect(readPidFile(pidFile(start)), JSON.stringify(start)).toBeNull();
  });

  it('a file of the Python predecessor counts when its create_time is ours within a second', (context) => {
    requirePart(context, 'linux');
    const { pid, create_time } = ownStart();
    for (const off of [-0.9, 0, 0.9]) {
      expect(readPidFile(pidFile({ pid, create_time: (create_time ?? 0) + off }))).toMatchObject({ pid, verified: true });
    }
  });

  it('without any start time the process may be somebody else: not verified', () => {
    expect(readPidFile(pidFile({ pid: process.pid }))).toMatchObject({ pid: process.pid, verified: false });
  });

  it('scar 64: only an integer above 1 is a pid', () => {
    for (const pid of [true, false, 1, 0, -1, -process.pid, 1.5, '7', null, [process.pid], 1e300]) {
      expect(readPidFile(pidFile({ pid, create_time: 0 })), JSON.stringify(pid)).toBeNull();
    }
    for (const junk of ['', 'null', '7', '[]', '{"pid":', '\0\0']) expect(readPidFile(pidFile(junk)), junk).toBeNull();
  });

  it('is not removed when it names somebody else who lives', (context) => {
    requirePart(context, 'linux');
    const path = pidFile({ pid: process.ppid });
    removePidFile(path);
    expect(existsSync(path)).toBe(true);
    const stale = pidFile({ pid: 99_999_999, create_time: 1 });
    removePidFile(stale);
    expect(existsSync(stale)).toBe(false);
  });

  it('create_time is the number that psutil computes', async (context) => {
    requirePart(context, 'linux', 'psutil');
    const code = `import psutil; print(psutil.Process(${process.pid}).create_time())`;
    const result = await runCommand([SYSTEM_PYTHON, '-c', code]);
    expect(Math.abs(Number(result.stdout) - (ownStart().create_time ?? 0))).toBeLessThan(0.02);
  });

  it('a zombie does not live', async (context) => {
    requirePart(context, 'linux', 'python3');
    const note = join(testFolder(), 'pid');
    const code = 'import os,sys,time\npid=os.fork()\nif pid==0: os._exit(0)\nopen(sys.argv[1],"w").write(f"{pid}\\n")\ntime.sleep(30)';
    const abort = new AbortController();
    const parent = runCommand(['python3', '-c', code, note], { signal: abort.signal, timeoutMs: 40_000 });
    const pid = await until('there is a child', () => (existsSync(note) ? Number(/^(\d+)\n/.exec(readFileSync(note, 'utf8'))?.[1]) : 0));
    await until('it is a zombie', () => readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z '));
    expect(stillLives({ pid, create_time: null })).toBe('no');
    abort.abort();
    await parent;
  });
});
