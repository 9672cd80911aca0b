import { describe, expect, it } from 'vitest';
import {
  bootId,
  carriesMark,
  commandLine,
  identify,
  isLiving,
  listProcesses,
  pidNamespace,
  readProcess,
} from '../../../src/process/proc.ts';
import { listByPs } from '../../../src/process/ps.ts';
import { requirePart } from '../../support/parts.ts';
import { openScene } from '../../support/run.ts';

describe('the process table', () => {
  it('holds this process as it is', async (context) => {
    requirePart(context, 'linux');
    const own = (await listProcesses()).find((entry) => entry.pid === process.pid);
    expect(own).toMatchObject({ ppid: process.ppid, state: 'R' });
    expect(own?.startTicks).toBe(readProcess(process.pid)?.startTicks);
    expect(await identify(process.pid)).toEqual({ pid: process.pid, startTicks: own?.startTicks });
    expect(commandLine(process.pid)).toContain('node');
    expect(commandLine(process.pid, 3)).toHaveLength(3);
  });

  it('an identity is a pid and a start time', async () => {
    const own = await identify(process.pid);
    expect(isLiving(own)).toBe(true);
    expect(isLiving({ pid: own.pid, startTicks: own.startTicks + 1 })).toBe(false);
    expect(isLiving({ pid: 2 ** 22 - 1, startTicks: 1 })).toBe(false);
    expect(readProcess(2 ** 22 - 1)).toBeNull();
  });

  it('knows the boot and the pid namespace', (context) => {
    requirePart(context, 'linux');
    expect(bootId()).toMatch(/^[0-9a-f-]{36}$/);
    expect(pidNamespace()).toMatch(/^\d+$/);
  });

  it('finds a variable by its whole name and value, first or later, and tells an empty environment', async (context) => {
    requirePart(context, 'linux');
    const scene = openScene();
    const stop = new AbortController();
    const ask = async (env: Record<string, string>, ...names: [string, string][]) => {
      const answers: string[] = [];
      await scene.run(['/bin/sh', '-c', 'echo up; while :; do sleep 0.1; done'], {
        env,
        stop: stop.signal,
        hardTimeoutMs: 100,
        onSpawned: ({ pid }) => {
          // The environment of a process inside execve is empty for a moment.
          while (names.length > 0 && Object.keys(env).length > 0 && carriesMark(pid, { name: '', value: '' }) === 'blank');
          answers.push(...names.map(([name, value]) => carriesMark(pid, { name, value })));
        },
      });
      return answers;
    };
    try {
      expect(
        await ask({ FIRST: 'a', SECOND: 'b' }, ['FIRST', 'a'], ['SECOND', 'b'], ['SECOND', 'bb'], ['ECOND', 'b'], ['FIRST', '']),
      ).toEqual(['yes', 'yes', 'no', 'no', 'no']);
      expect(carriesMark(1, { name: 'NO', value: 'x' })).toBe('no');
    } finally {
      await scene.close();
    }
  });

  it('reads the same from ps', async () => {
    const own = (await listByPs()).find((entry) => entry.pid === process.pid);
    expect(own).toMatchObject({ ppid: process.ppid, pgid: readProcess(process.pid)?.pgid ?? own?.pgid });
    expect(own?.startTicks).toBeGreaterThan(1_600_000_000);
  });
});
