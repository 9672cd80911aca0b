import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCommand } from '../../../src/process/command.ts';
import { requirePart } from '../../support/parts.ts';
import { agent, openScene, type Scene } from '../../support/run.ts';

let scene: Scene;
let mounted: string | null = null;
beforeEach(() => {
  scene = openScene();
});
afterEach(async () => {
  if (mounted !== null) await runCommand(['umount', mounted]);
  mounted = null;
  await scene.close();
});

async function mountSmallDisk(): Promise<string> {
  const folder = join(scene.folder, 'disk');
  mkdirSync(folder);
  const { code, stderr } = await runCommand(['mount', '-t', 'tmpfs', '-o', 'size=1m', 'none', folder]);
  if (code !== 0) throw new Error(stderr);
  mounted = folder;
  return folder;
}

describe('a log on a disk that is in trouble', () => {
  it('field bug 10: when the disk is full the run goes on, the output is read to its end, and the report says why', async (context) => {
    requirePart(context, 'tmpfs', 'python3');
    const disk = await mountSmallDisk();
    const path = join(disk, 'round.log');
    const cpu = process.cpuUsage();
    let lines = 0;
    const report = await scene.run(['/usr/bin/python3', agent('flood.py'), 'text', '20'], {
      log: { path, maxBytes: 256 * 1024 * 1024 },
      onLine: () => {
        lines++;
        return undefined;
      },
    });
    const { user, system } = process.cpuUsage(cpu);
    expect(report).toMatchObject({ end: 'exit', exitCode: 0, logError: 'ENOSPC' });
    expect(lines).toBe(200_002);
    expect(report.tail.endsWith('LAST\n')).toBe(true);
    const kept = statSync(path).size;
    expect(kept).toBeGreaterThan(900_000);
    expect(report.droppedBytes).toBe(report.outputBytes - kept);
    expect((user + system) / 1e6).toBeLessThan(3); // no spinning on the error
  });

  it('when there is space again the log goes on, with a line about the gap', async (context) => {
    requirePart(context, 'tmpfs');
    const disk = await mountSmallDisk();
    writeFileSync(join(disk, 'ballast'), Buffer.alloc(1024 * 1024));
    const path = join(disk, 'round.log');
    const report = await scene.run(['/bin/sh', '-c', 'echo lost; while [ ! -e "$SCENE/go" ]; do sleep 0.02; done; echo kept'], {
      log: { path, maxBytes: 100_000 },
      onLine: (line) => {
        if (line === 'lost') unlinkSync(join(disk, 'ballast'));
        writeFileSync(join(scene.folder, 'go'), '');
        return undefined;
      },
    });
    expect(readFileSync(path, 'utf8')).toBe('\n[agent-runner] 5 bytes of output were lost here: ENOSPC\nkept\n');
    expect(report).toMatchObject({ logError: 'ENOSPC', droppedBytes: 5, exitCode: 0, tail: 'lost\nkept\n' });
  });

  it('a log that cannot be created is told in the report too, and the run goes on', async () => {
    const report = await scene.run(['/bin/sh', '-c', 'echo hello; exit 3'], {
      log: { path: join(scene.folder, 'no/such/folder/x.log'), maxBytes: 1e6 },
    });
    expect(report).toMatchObject({ end: 'exit', exitCode: 3, logError: 'ENOENT', droppedBytes: 6, tail: 'hello\n' });
  });

  it('an agent that removes or truncates the log harms nobody but itself', async () => {
    const script = 'echo one; sleep 0.2; : > "$SCENE/round.log"; echo two; sleep 0.2; rm "$SCENE/round.log"; echo three';
    const report = await scene.run(['/bin/sh', '-c', script]);
    expect(report).toMatchObject({ end: 'exit', exitCode: 0, tail: 'one\ntwo\nthree\n', logError: null });
    expect(readdirSync(scene.folder)).not.toContain('round.log');
  });

  it('an existing log is continued, never overwritten', async () => {
    writeFileSync(scene.logPath, 'earlier\n');
    chmodSync(scene.logPath, 0o600);
    await scene.run(['/bin/echo', 'now']);
    expect(scene.log()).toBe('earlier\nnow\n');
    rmSync(scene.logPath);
  });
});
