import { describe, expect, test } from 'vitest';
import { NO_UNITS, runsInUnit, type ServiceFacts, statusOf } from '../../../src/service/mode.ts';
import { isUp, parseSpan } from '../../../src/service/systemctl.ts';

const NOW = 1_800_000_000_000;
const SERVE = { pid: 4711, create_time: NOW / 1000 - 90 };
const USER_UNIT = '/home/u/.config/systemd/user/agent-runner@shop.service';
const SYSTEM_UNIT = '/etc/systemd/system/agent-runner@shop.service';

const facts = (change: Partial<ServiceFacts>): ServiceFacts => ({ ...NO_UNITS, hasPidFile: false, serve: null, ...change });

test.each<[string, Partial<ServiceFacts>, string, boolean, string | null]>([
  ['nothing is there', {}, 'none', false, null],
  ['serve by hand', { hasPidFile: true, serve: SERVE }, 'pid_file', true, null],
  ['a stale pid file', { hasPidFile: true }, 'pid_file', false, null],
  ['a user unit that is down', { userUnit: USER_UNIT }, 'systemd_user', false, USER_UNIT],
  ['a user unit and a stale pid file', { userUnit: USER_UNIT, hasPidFile: true }, 'systemd_user', false, USER_UNIT],
  ['serve in the user unit', { userUnit: USER_UNIT, runsIn: 'user', hasPidFile: true, serve: SERVE }, 'systemd_user', true, USER_UNIT],
  ['serve by hand beside a unit', { userUnit: USER_UNIT, hasPidFile: true, serve: SERVE }, 'pid_file', true, USER_UNIT],
  ['serve in a unit that was deleted', { runsIn: 'user', hasPidFile: true, serve: SERVE }, 'systemd_user', true, null],
  ['a system unit that is down', { systemUnit: SYSTEM_UNIT }, 'systemd_system', false, SYSTEM_UNIT],
  ['serve in the system unit', { systemUnit: SYSTEM_UNIT, runsIn: 'system', serve: SERVE }, 'systemd_system', true, SYSTEM_UNIT],
  [
    'both, serve in the system unit',
    { userUnit: USER_UNIT, systemUnit: SYSTEM_UNIT, runsIn: 'system', serve: SERVE },
    'systemd_system',
    true,
    SYSTEM_UNIT,
  ],
])('%s', (_name, change, mode, active, unitFile) => {
  const status = statusOf(facts(change), NOW);
  expect(status).toEqual({
    mode,
    active,
    pid: active ? 4711 : null,
    uptime_s: active ? 90 : null,
    unit_file: unitFile,
    system_managed: mode === 'systemd_system',
  });
});

describe('the unit that a process runs in, by its control group', () => {
  const UNIT = 'agent-runner@my\\x20shop.service';
  test.each<[string, string, string | null]>([
    ['a user unit', `0::/user.slice/user-1000.slice/user@1000.service/app.slice/${UNIT}\n`, 'user'],
    ['its sub-leaf', `0::/user.slice/user-1000.slice/user@1000.service/app.slice/${UNIT}/supervisor\n`, 'user'],
    ['a system unit', `0::/system.slice/system-agent\\x2drunner.slice/${UNIT}/supervisor\n`, 'system'],
    ['version 1', `4:memory:/user.slice\n1:name=systemd:/system.slice/${UNIT}\n0::/\n`, 'system'],
    ['within a container', `0::/docker/abc/system.slice/${UNIT}\n`, 'system'],
    ['a terminal', '0::/user.slice/user-1000.slice/session-3.scope\n', null],
    ['the unit of another project', '0::/system.slice/agent-runner@other.service\n', null],
    ['a unit whose name ends alike', `0::/system.slice/x-${UNIT}\n`, null],
    ['nothing', '', null],
  ])('%s', (_name, cgroup, kind) => {
    expect(runsInUnit(cgroup, UNIT)).toBe(kind);
  });
});

test.each([
  ['4min 47s', 287],
  ['33min 47s', 2027],
  ['1h 30min', 5400],
  ['2d 3s', 172_803],
  ['1w', 604_800],
  ['500ms', 0.5],
  ['1min 30.500s', 90.5],
  ['infinity', Number.POSITIVE_INFINITY],
  ['', 0],
])('systemd says %j, which is %d s', (text, seconds) => {
  expect(parseSpan(text)).toBeCloseTo(seconds, 6);
});

test.each([
  ['active', true],
  ['activating', true],
  ['reloading', true],
  ['deactivating', true],
  ['inactive', false],
  ['failed', false],
])('%s is up: %s', (active, up) => {
  expect(isUp({ active })).toBe(up);
});
