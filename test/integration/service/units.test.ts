import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { unitName } from '../../../src/service/unit-text.ts';
import { renderUnit } from '../../../src/service/units.ts';
import { testFolder } from '../../support/folder.ts';
import { requirePart } from '../../support/parts.ts';

test.for([
  ['user', 'plain', 'shop'],
  ['system', 'plain', 'shop'],
  ['user', 'odd', 'my "best" shop, 50% of $HOME'],
  ['system', 'odd', 'my "best" shop, 50% of $HOME'],
] as const)('systemd-analyze verify has nothing to say about the %s unit of a project with a %s name', ([kind, , project], context) => {
  requirePart(context, 'systemd-analyze');
  const folder = testFolder();
  const workDir = join(folder, project);
  mkdirSync(workDir);
  const script = join(workDir, 'main.js');
  writeFileSync(script, '');
  const unit = renderUnit({
    kind,
    project,
    version: '1.2.3',
    node: process.execPath,
    script,
    config: join(workDir, 'agent-runner.toml'),
    workDir,
    logDir: join(folder, 'logs'),
    path: '/usr/bin:/bin',
    user: 'root',
    group: 'root',
    stopS: 2027,
    needsPrivileges: null,
  });
  const path = join(folder, unitName(project));
  writeFileSync(path, unit);
  // An unknown key alone exits 0, so what it prints counts.
  const { status, stdout, stderr } = spawnSync('systemd-analyze', ['verify', `--${kind}`, '--man=no', '--recursive-errors=no', path], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, XDG_RUNTIME_DIR: folder, HOME: folder },
  });
  expect({ status, said: `${stdout}${stderr}` }).toEqual({ status: 0, said: '' });
});

test('the check notices what it should', (context) => {
  requirePart(context, 'systemd-analyze');
  const folder = testFolder();
  const path = join(folder, 'agent-runner@x.service');
  writeFileSync(path, '[Service]\nExecStart=/bin/true\nNoSuchKey=1\n');
  const { stdout, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', '--recursive-errors=no', path], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, XDG_RUNTIME_DIR: folder },
  });
  expect(`${stdout}${stderr}`).toContain('NoSuchKey');
});
