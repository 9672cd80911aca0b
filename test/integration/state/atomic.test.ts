import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCommand } from '../../../src/process/command.ts';
import { readJson, writeAtomic, writeJson } from '../../../src/state/atomic.ts';
import { systemClock } from '../../../src/util/clock.ts';
import { RunnerError } from '../../../src/util/errors.ts';
import { testFolder } from '../../support/folder.ts';
import { startScript } from '../../support/node.ts';
import { requirePart } from '../../support/parts.ts';
import { testTmpfs } from '../../support/tmpfs.ts';
import { until } from '../../support/wait.ts';

describe('writeAtomic', () => {
  it('writes, replaces, and leaves nothing else in the folder', () => {
    const path = join(testFolder(), 'status.json');
    writeJson(path, { round_num: 1 });
    writeJson(path, { round_num: 2 });
    expect(readJson(path)).toEqual({ kind: 'ok', value: { round_num: 2 } });
    expect(readdirSync(join(path, '..'))).toEqual(['status.json']);
  });

  it('replaces a symlink and does not follow it', () => {
    const folder = testFolder();
    writeFileSync(join(folder, 'victim'), 'precious');
    symlinkSync('victim', join(folder, 'status.json'));
    writeAtomic(join(folder, 'status.json'), '{}');
    expect(readFileSync(join(folder, 'victim'), 'utf8')).toBe('precious');
    expect(lstatSync(join(folder, 'status.json')).isFile()).toBe(true);
  });

  it('tells a folder that is not there by name, with the system error', () => {
    const path = join(testFolder(), 'gone', 'status.json');
    expect(() => writeAtomic(path, 'x')).toThrow(RunnerError);
    expect(() => writeAtomic(path, 'x')).toThrow(/gone\/status\.json cannot be written: ENOENT/);
  });

  it('field bug 40c: a full disk leaves the old file whole and no temp file', async (context) => {
    requirePart(context, 'tmpfs');
    const folder = await testTmpfs('256k');
    const path = join(folder, 'status.json');
    const old = JSON.stringify({ old: 'o'.repeat(20_000) });
    writeAtomic(path, old);
    writeFileSync(join(folder, 'filler'), Buffer.alloc(190_000));
    expect(() => writeAtomic(path, 'n'.repeat(100_000))).toThrow(/ENOSPC/);
    expect(readFileSync(path, 'utf8')).toBe(old);
    expect(readdirSync(folder).sort()).toEqual(['filler', 'status.json']);
    rmSync(join(folder, 'filler'));
    writeAtomic(path, 'new');
    expect(readFileSync(path, 'utf8')).toBe('new');
  });

  it('a read-only file system is an error with a name, and the old file can still be read', async (context) => {
    requirePart(context, 'tmpfs');
    const folder = await testTmpfs('256k');
    const path = join(folder, 'status.json');
    writeAtomic(path, '{"a":1}');
    await runCommand(['mount', '-o', 'remount,ro', folder]);
    expect(() => writeAtomic(path, 'x')).toThrow(/EROFS/);
    expect(readJson(path)).toEqual({ kind: 'ok', value: { a: 1 } });
  });

  it('field bug 40c: a writer that is killed at any moment leaves an old or a new file, never a part', { timeout: 60_000 }, async () => {
    const path = join(testFolder(), 'status.json');
    for (let round = 0; round < 8; round++) {
      const { child, output, ended } = startScript('write-atomic.ts', path);
      await until('the writer writes', () => output().includes('writing'));
      await systemClock.sleep(round * 7);
      child.kill('SIGKILL');
      await ended;
      const read = readJson(path);
      expect(read.kind).toBe('ok');
      if (read.kind === 'ok') {
        const { n, body, end } = read.value as { n: number; body: string; end: number };
        expect(end).toBe(n);
        expect(body).toBe(String(n).repeat(20_000));
      }
    }
  });
});

describe('temp files', () => {
  const temp = (folder: string, pid: number, ageS: number) => {
    const path = join(folder, `.status.json.${pid}.0123abcd.tmp`);
    writeFileSync(path, 'half');
    const at = systemClock.now() / 1000 - ageS;
    utimesSync(path, at, at);
    return path;
  };

  it('of dead writers are removed at the first write into the folder, those of living and young ones stay', () => {
    const folder = testFolder();
    // Above any pid_max, so dead for certain; pid 1 always lives.
    const dead = temp(folder, 99_999_999, 60);
    const young = temp(folder, 99_999_998, 1);
    const living = temp(folder, 1, 60);
    const ancient = temp(folder, 1_000_000_001, 7_200);
    const sameAsOurs = temp(folder, process.pid, 60);
    const foreign = join(folder, '.notes.tmp');
    writeFileSync(foreign, 'mine');
    writeAtomic(join(folder, 'status.json'), '{}');
    expect([dead, young, living, ancient, sameAsOurs, foreign].map((path) => existsSync(path))).toEqual([
      false,
      true,
      true,
      false,
      false,
      true,
    ]);
  });
});

describe('readJson', () => {
  it('tells a missing file from a corrupt one', () => {
    expect(readJson(join(testFolder(), 'status.json'))).toEqual({ kind: 'missing' });
  });

  it.each([
    ['empty, as after a full disk', ''],
    ['torn', '{"round_num": 1'],
    ['NULs, as after a power cut', '\0\0\0\0'],
    ['binary', Buffer.from([0xff, 0xfe, 0x00])],
  ])('field bug 40c: sets a file aside that is %s', (_what, content) => {
    const folder = testFolder();
    const path = join(folder, 'status.json');
    writeFileSync(path, content);
    const read = readJson(path);
    expect(read).toMatchObject({ kind: 'corrupt', reason: expect.any(String) });
    if (read.kind !== 'corrupt' || read.setAside === null) throw new Error('not set aside');
    expect(read.setAside).toMatch(/status\.json\.corrupt-\d{8}T\d{6}$/);
    expect(readFileSync(read.setAside)).toEqual(Buffer.from(content));
    expect(readJson(path)).toEqual({ kind: 'missing' });
  });

  it('keeps both when two are set aside within a second', () => {
    const folder = testFolder();
    const path = join(folder, 'status.json');
    for (const content of ['one', 'two']) {
      writeFileSync(path, content);
      readJson(path);
    }
    expect(
      readdirSync(folder)
        .map((name) => readFileSync(join(folder, name), 'utf8'))
        .sort(),
    ).toEqual(['one', 'two']);
  });

  it('does not block on a FIFO and does not read a directory or a gigabyte', async () => {
    const folder = testFolder();
    const path = join(folder, 'status.json');
    await runCommand(['mkfifo', path]);
    expect(readJson(path)).toMatchObject({ kind: 'corrupt', reason: 'not a regular file' });
    mkdirSync(path);
    expect(readJson(path)).toMatchObject({ kind: 'corrupt' });
    writeFileSync(path, '');
    await runCommand(['truncate', '-s', '1G', path]);
    expect(readJson(path)).toMatchObject({ kind: 'corrupt' });
    expect(() => statSync(path)).toThrow();
  });

  it('a symlink in a circle is no state file and is set aside', () => {
    const path = join(testFolder(), 'status.json');
    symlinkSync(path, path);
    expect(readJson(path)).toMatchObject({ kind: 'corrupt', reason: 'ELOOP', setAside: expect.any(String) });
  });

  it('a file that cannot be read is an error, not an absent file', () => {
    expect(() => readJson(join(testFolder(), 'x'.repeat(300)))).toThrow(/cannot be read: ENAMETOOLONG/);
  });
});
