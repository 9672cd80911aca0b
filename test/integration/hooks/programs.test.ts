import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { acknowledgePrograms, filesInReach, guardPrograms, startable } from '../../../src/hooks/programs.ts';
import { layout } from '../../../src/state/layout.ts';
import { testFolder } from '../../support/folder.ts';

function place() {
  const folder = testFolder();
  const [workDir, logDir] = [join(folder, 'work'), join(folder, 'logs')];
  for (const path of [join(workDir, 'hooks'), join(logDir, 'state'), join(folder, 'bin')]) mkdirSync(path, { recursive: true });
  const write = (path: string, text: string) => {
    writeFileSync(join(folder, path), `#!/bin/sh\n${text}\n`);
    chmodSync(join(folder, path), 0o755);
    return join(folder, path);
  };
  const paths = layout(logDir);
  const reach = { workDir, logDir, path: join(folder, 'bin') };
  const guard = (argv: readonly string[], interrupted = false) => guardPrograms(paths, [argv], reach, interrupted);
  return { folder, workDir, logDir, write, reach, paths, guard };
}

it('files of a command that agents can write: by path, behind a link, on PATH, as a script of an interpreter; data files are not', () => {
  const { folder, workDir, write, reach } = place();
  const inside = write('work/hooks/a.sh', 'true');
  const outside = write('bin/tool', 'true');
  symlinkSync(inside, join(folder, 'bin/link'));
  writeFileSync(join(workDir, 'data.json'), '{}');
  expect(filesInReach([inside], reach)).toEqual([inside]);
  expect(filesInReach(['hooks/a.sh'], reach)).toEqual([inside]);
  expect(filesInReach(['link'], reach)).toEqual([join(folder, 'bin/link')]);
  expect(filesInReach(['/bin/sh', 'hooks/a.sh', 'data.json'], reach)).toEqual([inside, join(workDir, 'data.json')]);
  expect(filesInReach(['tool', 'hooks/a.sh', 'data.json'], reach)).toEqual([inside]);
  expect(filesInReach([outside, 'data.json', '-x', 'a b'], reach)).toEqual([]);
  expect(filesInReach([join(workDir, 'not-yet')], reach)).toEqual([join(workDir, 'not-yet')]);
});

it('a command is started from work_dir, from PATH, from home; not when it cannot be executed', () => {
  const { folder, write, reach } = place();
  const inside = write('work/hooks/a.sh', 'true');
  expect(startable(['hooks/a.sh', '~/x', 'a~/b'], reach)).toEqual([inside, join(process.env.HOME ?? '', 'x'), 'a~/b']);
  expect(startable(['none'], reach)).toBeNull();
  chmodSync(inside, 0o644);
  expect(startable(['hooks/a.sh'], reach)).toBeNull();
  expect(startable([folder], reach)).toBeNull();
});

it('a change of text, mode or target is seen, and what is put back is itself again', () => {
  const { folder, write, reach, guard } = place();
  const path = write('work/hooks/a.sh', 'true');
  const it = guard([path]);
  expect(it.changed([path], reach)).toEqual([]);
  write('work/hooks/a.sh', 'false');
  expect(it.changed([path], reach)).toEqual([path]);
  expect(it.isNews([path])).toBe(true);
  expect(it.isNews([path])).toBe(false);
  write('work/hooks/a.sh', 'true');
  expect(it.changed([path], reach)).toEqual([]);
  chmodSync(path, 0o777);
  expect(it.changed([path], reach)).toEqual([path]);
  rmSync(path);
  symlinkSync(write('bin/other', 'true'), path);
  expect(it.changed([path], reach)).toEqual([path]);
  rmSync(path);
  expect(it.changed([path], reach)).toEqual([path]);
  expect(folder).toBeTruthy();
});

it('a program that was not there and that an agent makes is not run', () => {
  const { workDir, write, reach, guard } = place();
  const path = join(workDir, 'hooks/later.sh');
  const it = guard([path]);
  write('work/hooks/later.sh', 'true');
  expect(it.changed([path], reach)).toEqual([path]);
});

it('over a restart: a change that was seen stays one until a person answers; one that a person made meanwhile is none', () => {
  const { write, reach, paths, guard } = place();
  const path = write('work/hooks/a.sh', 'one');
  guard([path]);
  write('work/hooks/a.sh', 'two, by a person while nothing ran');
  const second = guard([path]);
  expect(second.changed([path], reach)).toEqual([]);
  write('work/hooks/a.sh', 'three, by an agent');
  expect(second.changed([path], reach)).toEqual([path]);
  expect(guard([path]).changed([path], reach)).toEqual([path]);

  acknowledgePrograms(paths, [[path]], reach);
  write('work/hooks/a.sh', 'four, after the answer');
  expect(guard([path]).changed([path], reach)).toEqual([path]);
  acknowledgePrograms(paths, [[path]], reach);
  expect(guard([path]).changed([path], reach)).toEqual([]);
  write('work/hooks/a.sh', 'five, by a person');
  expect(guard([path]).changed([path], reach)).toEqual([]);
});

it('after a supervisor that died during a round what was accepted before counts', () => {
  const { write, reach, guard } = place();
  const path = write('work/hooks/a.sh', 'one');
  guard([path]);
  write('work/hooks/a.sh', 'two');
  expect(guard([path], true).changed([path], reach)).toEqual([path]);
});

it('a forged or torn record is no reason to fail', () => {
  const { write, reach, paths, guard } = place();
  const path = write('work/hooks/a.sh', 'one');
  for (const text of ['', '[]', '{"accepted": 7}', '{"accepted": {"x": 1}, "suspect": "yes"}', 'null']) {
    writeFileSync(paths.hookPrograms, text);
    writeFileSync(paths.hooksAck, text);
    expect(guard([path]).changed([path], reach)).toEqual([]);
  }
});
