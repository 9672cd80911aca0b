import { describe, expect, test } from 'vitest';
import { commandLineOf, plainValue, quotedWord, unitName } from '../../../src/service/unit-text.ts';
import { finalCodes, readOwnUnit, renderUnit, type UnitInput } from '../../../src/service/units.ts';

const INPUT: UnitInput = {
  kind: 'user',
  project: 'shop',
  version: '1.2.3',
  node: '/usr/bin/node',
  script: '/opt/agent-runner/dist/main.js',
  config: '/home/u/shop/agent-runner.toml',
  workDir: '/home/u/shop',
  logDir: '/home/u/logs/shop',
  path: '/home/u/.local/bin:/usr/bin',
  user: 'u',
  group: 'users',
  stopS: 2027,
  needsPrivileges: null,
};

/** Directives of the unit by name; a name that occurs twice has its last value. */
function directives(text: string): Record<string, string> {
  return Object.fromEntries(
    text
      .split('\n')
      .filter((line) => /^[A-Z]\w*=/.test(line))
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
}

describe.each(['user', 'system'] as const)('the %s unit', (kind) => {
  const unit = renderUnit({ ...INPUT, kind });

  test('field bug 19, scar 9, scar 10, scar 11: what ends it, what restarts it, how long it may take', () => {
    expect(directives(unit)).toMatchObject({
      Type: 'notify',
      NotifyAccess: 'all',
      WatchdogSec: '120',
      WatchdogSignal: 'SIGKILL',
      KillMode: 'mixed',
      Restart: 'on-failure',
      RestartSec: '3',
      RestartPreventExitStatus: '70 75 78',
      StartLimitIntervalSec: '300',
      StartLimitBurst: '5',
      TimeoutStopSec: '2027',
      Delegate: 'yes',
      OOMPolicy: 'continue',
    });
  });

  test('names the program, the configuration that was loaded, and the PATH of the install', () => {
    expect(directives(unit)).toMatchObject({
      ExecStart: '"/usr/bin/node" "/opt/agent-runner/dist/main.js" "serve" "--config" "/home/u/shop/agent-runner.toml"',
      ExecReload: '"/usr/bin/node" "/opt/agent-runner/dist/main.js" "reload" "--config" "/home/u/shop/agent-runner.toml"',
      WorkingDirectory: '-/home/u/shop',
      Environment: '"PATH=/home/u/.local/bin:/usr/bin"',
      EnvironmentFile: '-%E/agent-runner/shop.env',
    });
    expect(readOwnUnit(unit)).toEqual({ config: '/home/u/shop/agent-runner.toml', version: '1.2.3' });
  });

  test('hardening never breaks what agents need', () => {
    const names = Object.keys(directives(unit));
    for (const harmful of ['ProtectControlGroups', 'RestrictNamespaces', 'MemoryDenyWriteExecute', 'PrivateTmp', 'ProtectHome']) {
      expect(names).not.toContain(harmful);
    }
    expect(directives(unit).NoNewPrivileges).toBe('yes');
    const withSudo = renderUnit({ ...INPUT, kind, needsPrivileges: 'agent.exec_prefix uses sudo' });
    expect(Object.keys(directives(withSudo))).not.toContain('NoNewPrivileges');
    expect(withSudo).toContain('# NoNewPrivileges is left out as well: agent.exec_prefix uses sudo');
  });

  test('no placeholder is left, and none in a value is filled', () => {
    expect(unit).not.toContain('@@');
    expect(renderUnit({ ...INPUT, kind, workDir: '/srv/@@STOP_S@@' })).toContain('WorkingDirectory=-/srv/@@STOP_S@@\n');
  });
});

test('only the system unit says who runs it and what must be mounted', () => {
  const system = directives(renderUnit({ ...INPUT, kind: 'system' }));
  expect(system).toMatchObject({
    User: 'u',
    Group: 'users',
    WantedBy: 'multi-user.target',
    RequiresMountsFor: '"/home/u/shop" "/home/u/logs/shop"',
    After: 'network.target dbus.service',
  });
  const user = directives(renderUnit(INPUT));
  expect(user.WantedBy).toBe('default.target');
  expect(Object.keys(user)).not.toContain('User');
});

test('the exit codes come from the one table', () => {
  expect(finalCodes()).toEqual([70, 75, 78]);
});

test.each([
  ['shop', 'agent-runner@shop.service'],
  ['my-shop_2.0', 'agent-runner@my-shop_2.0.service'],
  ['a b', 'agent-runner@a\\x20b.service'],
  ['50%', 'agent-runner@50\\x25.service'],
  ['.hidden', 'agent-runner@\\x2ehidden.service'],
  ['é', 'agent-runner@\\xc3\\xa9.service'],
  ["a@b'c", 'agent-runner@a\\x40b\\x27c.service'],
])('the unit of project %j is %s', (project, name) => {
  expect(unitName(project)).toBe(name);
});

test.each(['a\nb', 'a\u0000b', 'a\u2028b', '', 'x'.repeat(240), 'é'.repeat(100)])('no unit can be named after %j', (project) => {
  expect(() => unitName(project)).toThrow(expect.objectContaining({ code: 'AR-SVC-010' }));
});

test.each([
  ['a space', '/a b', '"/a b"'],
  ['a percent sign', '/a%n', '"/a%%n"'],
  ['quotes', '/a"b\'c', '"/a\\"b\'c"'],
  ['a backslash', '/a\\nb', '"/a\\\\nb"'],
  ['a dollar sign stays outside command lines', '/a$HOME', '"/a$HOME"'],
])('a word with %s', (_name, text, word) => {
  expect(quotedWord('x', text)).toBe(word);
});

test('variables are not expanded in a command line; the program itself is not looked at for them', () => {
  expect(commandLineOf('x', ['/n$ode', '$HOME', '$A%h'])).toBe('"/n$ode" "$$HOME" "$$A%%h"');
});

test('scar 65: a line break cannot inject a directive, wherever it stands', () => {
  for (const field of ['config', 'workDir', 'logDir', 'path', 'script', 'node', 'user', 'group', 'project'] as const) {
    for (const evil of ['\nExecStartPre=/bin/sh', '\r', '\u2028', '\u0000', '\u001b[0m']) {
      expect(
        () => renderUnit({ ...INPUT, kind: 'system', [field]: `${INPUT[field]}${evil}x` }),
        `${field} ${JSON.stringify(evil)}`,
      ).toThrow(expect.objectContaining({ code: 'AR-SVC-010' }));
    }
  }
});

test.each(['/a ', '/a\\', '\t/a'])('%j cannot stand at the end of a line', (text) => {
  expect(() => plainValue('work_dir', text)).toThrow(expect.objectContaining({ code: 'AR-SVC-010' }));
});

test.each([
  '',
  '[Service]\nExecStart=/bin/true\n',
  '[X-AgentRunner]\nConfig=/no/quotes\n',
  '[X-AgentRunner]\nConfig="\\q"\n',
  '# Config="/a"\n',
])('a unit of somebody else is not ours: %j', (text) => {
  expect(readOwnUnit(text)).toBeNull();
});
