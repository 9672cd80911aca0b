import { expect, test } from 'vitest';
import { commandLine } from '../../../../src/observe/peek/commands.ts';
import { NO_UNITS } from '../../../../src/service/mode.ts';
import { factsWith } from './facts.ts';

const USER = { ...NO_UNITS, userUnit: '/home/u/.config/systemd/user/agent-runner@shop.service' };
const SYSTEM = { ...NO_UNITS, systemUnit: '/etc/systemd/system/agent-runner@shop.service' };

test.each([
  ['serve', NO_UNITS, false, 'agent-runner serve'],
  ['serve', USER, false, 'agent-runner start'],
  ['agent-runner serve', USER, true, 'agent-runner start --config /w/shop/agent-runner.toml'],
  ['serve', SYSTEM, false, 'sudo agent-runner start'],
  ['stop', SYSTEM, true, 'agent-runner stop --config /w/shop/agent-runner.toml'],
  ['agent-runner ack auth', USER, false, 'agent-runner ack auth'],
])('%s: what a person types', (verb, units, configGiven, expected) => {
  expect(commandLine(factsWith({ units, configGiven }), verb)).toBe(expected);
});
