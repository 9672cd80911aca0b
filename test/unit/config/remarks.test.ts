import { expect, it } from 'vitest';
import { parseConfig } from '../../../src/config/load.ts';
import { AT, fileWith } from './sample.ts';

const warnings = (changes: Record<string, string[]>) =>
  parseConfig(fileWith(changes), AT).warnings.map(({ key, code }) => `${key} ${code}`);

it.each<[string, Record<string, string[]>, string[]]>([
  ['skip without phases', { phases: ['phase_policy = "skip"'] }, ['phases.phase_policy AR-CFG-026']],
  ['skip with phases', { phases: ['phase_policy = "skip"', 'list = ["a"]'] }, []],
  ['wait without phases', { phases: ['phase_policy = "wait"'] }, []],
  [
    'a critical disk below the warning',
    { 'monitor.host_health': ['disk_critical_pct = 80', 'disk_warning_pct = 90'] },
    ['monitor.host_health.disk_critical_pct AR-CFG-026'],
  ],
  [
    '... by the default of the other',
    { 'monitor.host_health': ['disk_warning_pct = 97'] },
    ['monitor.host_health.disk_critical_pct AR-CFG-026'],
  ],
  ['both the same', { 'monitor.host_health': ['disk_critical_pct = 80', 'disk_warning_pct = 80'] }, []],
])('what is hardly meant is remarked on: %s', (_name, changes, expected) => {
  expect(warnings(changes)).toEqual(expected);
});

const two = (base: string, review: string, account = '') => ({
  agent: [`command = ${base}`],
  phases: ['list = ["build", "review"]'],
  'phases.review.agent': [`command = ${review}`, ...(account === '' ? [] : [`account = "${account}"`])],
});

it.each<[string, Record<string, string[]>, string[]]>([
  ['two scripts of node', two('["node", "a.mjs"]', '["node", "b.mjs"]'), ['phases.review.agent.command AR-CFG-027']],
  ['two lines of sh', two('["sh", "-c", "a"]', '["sh", "-c", "b"]'), ['phases.review.agent.command AR-CFG-027']],
  ['one script, other flags', two('["node", "a.mjs"]', '["node", "a.mjs", "--review"]'), []],
  ['an account of its own', two('["node", "a.mjs"]', '["node", "b.mjs"]', 'second'), []],
  ['no interpreter', two('["claude", "a"]', '["claude", "b"]'), []],
])('scripts that share the account of their interpreter: %s', (_name, changes, expected) => {
  expect(warnings(changes)).toEqual(expected);
});
