import { expect, it } from 'vitest';
import { chooseSource } from '../../../../src/service/upgrade/source.ts';

const choose = (target: string | null, configured?: string) => chooseSource(target, configured, '/home/me');

it.each([
  [null, 'agent-runner', 'agent-runner@latest', 'name'],
  [null, '@team/agent-runner', '@team/agent-runner@latest', 'name'],
  [null, 'agent-runner@1.2.3', 'agent-runner@1.2.3', 'name'],
  ['1.2.4', 'agent-runner@1.2.3', 'agent-runner@1.2.4', 'name'],
  ['2.0.0-rc.1', '@team/agent-runner', '@team/agent-runner@2.0.0-rc.1', 'name'],
  ['next', 'agent-runner', 'agent-runner@next', 'name'],
  [null, '/srv/agent-runner-1.2.3.tgz', '/srv/agent-runner-1.2.3.tgz', 'tarball'],
  [null, 'packages/agent-runner.tar.gz', '/home/me/packages/agent-runner.tar.gz', 'tarball'],
  [null, 'https://example.org/a.tgz', 'https://example.org/a.tgz', 'tarball'],
  [null, './checkout', '/home/me/checkout', 'folder'],
  ['..', 'agent-runner', '/home', 'folder'],
  ['file:./x.tgz', undefined, '/home/me/x.tgz', 'tarball'],
  ['./1.2.3', undefined, '/home/me/1.2.3', 'folder'],
])('target %s of source %s is %s', (target, configured, spec, kind) => {
  expect(choose(target, configured)).toEqual({ spec, kind });
});

it.each([
  [null, undefined],
  [null, ''],
  ['1.2.3', undefined],
])('target %s without a source: says how to name one, and guesses no name', (target, configured) => {
  expect(() => choose(target, configured)).toThrow(
    expect.objectContaining({ code: 'AR-UPG-001', remedy: expect.stringContaining('AGENT_RUNNER_UPGRADE_SOURCE') }),
  );
});

it.each([
  ['1.2.3', './checkout'],
  ['1.2.3', 'a.tgz'],
  [null, 'Agent Runner'],
  [null, '--registry=http://evil'],
  [null, 'git+ssh://example.org/x'],
  [null, 'https://example.org/page'],
  ['--force', 'agent-runner'],
  ['1.2.3 && x', 'agent-runner'],
  ['npm:evil', 'agent-runner'],
])('target %s of source %s cannot be meant', (target, configured) => {
  expect(() => choose(target, configured)).toThrow(expect.objectContaining({ code: 'AR-UPG-002' }));
});
