import { chmodSync, lstatSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { replaceConfig } from '../../../../src/config/migrate/write.ts';
import { testFolder } from '../../../support/folder.ts';

function file(text = 'old\n') {
  const folder = testFolder();
  const path = join(folder, 'agent-runner.toml');
  writeFileSync(path, text);
  return { folder, path };
}

describe('the migrated file takes the old one’s place', () => {
  it('with its mode, and the old one stays beside it under a free name', () => {
    const { folder, path } = file();
    chmodSync(path, 0o640);
    expect(replaceConfig(path, 'old\n', 'new\n')).toBe(`${path}.bak`);
    expect(replaceConfig(path, 'new\n', 'newer\n')).toBe(`${path}.bak.2`);
    expect(readdirSync(folder).sort()).toEqual(['agent-runner.toml', 'agent-runner.toml.bak', 'agent-runner.toml.bak.2']);
    expect([path, `${path}.bak`, `${path}.bak.2`].map((name) => readFileSync(name, 'utf8'))).toEqual(['newer\n', 'old\n', 'new\n']);
    for (const name of [path, `${path}.bak`]) expect(statSync(name).mode & 0o777).toBe(0o640);
  });

  it('a symbolic link stays one, and what it leads to is replaced', () => {
    const { folder, path } = file();
    const link = join(folder, 'link.toml');
    symlinkSync(path, link);
    replaceConfig(link, 'old\n', 'new\n');
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(readFileSync(path, 'utf8')).toBe('new\n');
  });

  it('not when somebody changed it meanwhile', () => {
    const { path } = file('edited\n');
    expect(() => replaceConfig(path, 'old\n', 'new\n')).toThrow(expect.objectContaining({ code: 'AR-MIG-001' }));
    expect(readFileSync(path, 'utf8')).toBe('edited\n');
  });

  it('not when it cannot be written: the old file is untouched', () => {
    const { folder, path } = file();
    mkdirSync(join(folder, 'gone'));
    expect(() => replaceConfig(join(folder, 'gone', 'x.toml'), 'old\n', 'new\n')).toThrow(expect.objectContaining({ code: 'AR-MIG-002' }));
    expect(readFileSync(path, 'utf8')).toBe('old\n');
  });
});
