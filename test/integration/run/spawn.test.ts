import { chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openScene, type Scene } from '../../support/run.ts';

let scene: Scene;
beforeEach(() => {
  scene = openScene();
});
afterEach(() => scene.close());

describe('starting', () => {
  it('field bug 4: an argument of 131,071 bytes arrives, one of 131,072 is a report with the limit, never a throw', async () => {
    const fits = await scene.run(['/bin/sh', '-c', 'printf %s "$1" | wc -c', 'sh', 'x'.repeat(131_071)]);
    expect(fits).toMatchObject({ end: 'exit', exitCode: 0 });
    expect(fits.tail.trim()).toBe('131071');
    const tooBig = await scene.run(['/bin/true', 'x'.repeat(131_072)]);
    expect(tooBig).toMatchObject({ end: 'spawn_failed', exitCode: null, spawnError: 'E2BIG', problem: { code: 'AR-RUN-004' } });
    expect(tooBig.problem?.message).toContain('argument 1 has 131072 bytes, the system takes 131071');
    expect(tooBig.problem?.remedy).toContain('stdin');
  });

  it('field bug 39: a missing directory, a missing program and a missing interpreter are told apart', async () => {
    const gone = join(scene.folder, 'gone');
    const script = join(scene.folder, 'script');
    writeFileSync(script, '#!/no/such/interpreter\n', { mode: 0o755 });
    const problem = async (program: string, cwd = scene.folder) => (await scene.run([program], { cwd })).problem;
    expect(await problem('/bin/true', gone)).toMatchObject({ code: 'AR-RUN-001', message: expect.stringContaining(gone) });
    expect(await problem('/bin/true', script)).toMatchObject({ code: 'AR-RUN-001', message: expect.stringContaining('ENOTDIR') });
    expect(await problem(gone)).toMatchObject({ code: 'AR-RUN-002', message: expect.stringContaining(`does not exist: ${gone}`) });
    expect(await problem(script)).toMatchObject({ code: 'AR-RUN-002', message: expect.stringContaining('interpreter') });
    chmodSync(script, 0o644);
    expect(await problem(script)).toMatchObject({ code: 'AR-RUN-003' });
    expect(await problem('/bin/tr\0ue')).toMatchObject({ code: 'AR-RUN-005' });
  });

  it('a start that failed leaves no descriptor behind', async () => {
    const before = readdirSync('/proc/self/fd').length;
    for (let i = 0; i < 20; i++) await scene.run(['/no/such/program'], { stdin: 'x' });
    expect(readdirSync('/proc/self/fd').length).toBeLessThanOrEqual(before + 2);
  });

  it('tells the identity of the new process before anything else', async () => {
    const told: unknown[] = [];
    const report = await scene.run(['/bin/sh', '-c', 'echo $$'], {
      onSpawned: (identity) => void told.push(identity),
      onLine: (line) => void told.push(line),
    });
    expect(told).toEqual([{ pid: Number(report.tail), startTicks: expect.any(Number) }, report.tail.trim()]);
    expect(told[0]).not.toMatchObject({ startTicks: 0 });
  });

  it('the leader has a session and a group of its own', async () => {
    const report = await scene.run(['/bin/sh', '-c', 'cut -d " " -f 5,6 /proc/$$/stat; echo $$']);
    const [ids, pid] = report.tail.trim().split('\n');
    expect(ids).toBe(`${pid} ${pid}`);
  });

  it('without FIFOs a socket serves, and a missing program is still told', async () => {
    const folder = process.env.TMPDIR;
    process.env.TMPDIR = join(scene.folder, 'no-such-folder');
    try {
      const report = await scene.run(['/bin/sh', '-c', 'cat; echo err >&2; exit 3'], { stdin: 'text\n' });
      expect(report).toMatchObject({ end: 'exit', exitCode: 3, tail: 'text\nerr\n' });
      expect(await scene.run([join(scene.folder, 'gone')])).toMatchObject({ end: 'spawn_failed', spawnError: 'ENOENT' });
    } finally {
      if (folder === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = folder;
    }
  });

  it('a stop that came before the start starts nothing', async () => {
    mkdirSync(join(scene.folder, 'work'));
    const report = await scene.run(['/usr/bin/touch', join(scene.folder, 'touched')], { stop: AbortSignal.abort('stopped') });
    expect(report).toMatchObject({ end: 'stopped', exitCode: null, receipt: { members: [] } });
    expect(readdirSync(scene.folder)).not.toContain('touched');
  });
});
