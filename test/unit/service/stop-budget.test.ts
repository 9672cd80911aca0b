import { expect, test } from 'vitest';
import { LONGEST_COOPERATIVE_GRACE_S, REAP_GRACE_S, roundCeilingS } from '../../../src/round/stop-terms.ts';
import { stopBudget } from '../../../src/service/stop-budget.ts';
import { outerCeilingMs } from '../../../src/util/stop-budget.ts';
import { configOf, fileWith } from '../config/sample.ts';

const config = (changes: Record<string, string[]> = {}) => configOf(fileWith(changes));

/** Commit, one hook, ladder, around. */
const FIXED = 120 + 60 + 12 + 25;

test.each<[string, Record<string, string[]>, number]>([
  ['the defaults', {}, 1800 + 10 + FIXED],
  ['a shorter wall', { runtime: ['round_timeout_s = 20'] }, 20 + 10 + FIXED],
  ['the newer name of the wall', { runtime: ['round_budget_s = 90'] }, 90 + 10 + FIXED],
  [
    'the longest wall of all phases',
    { runtime: ['round_timeout_s = 20'], phases: ['list = ["a", "b"]'], 'phases.b': ['round_timeout_s = 7200'] },
    7200 + 10 + FIXED,
  ],
  [
    'a phase with a shorter wall than the base',
    { runtime: ['round_timeout_s = 600'], phases: ['list = ["a"]'], 'phases.a': ['round_timeout_s = 30'] },
    600 + 10 + FIXED,
  ],
  ['a grace above the cap', { agent: ['sigterm_grace_s = 12'] }, 1800 + 12 + FIXED],
  ['a grace below that of CLIs without a cooperative stop', { agent: ['sigterm_grace_s = 1'] }, 1800 + 5 + FIXED],
  [
    'a container: its own grace and a slow engine',
    { agent: ['exec_prefix = ["docker", "run", "--rm", "-i", "image"]'] },
    1800 + 10 + 20 + FIXED,
  ],
  ['hooks, each with its minute', { hooks: ['pre_round = [["a"]]', 'post_round = [["b"], ["c"]]'] }, 1800 + 10 + FIXED + 120],
  ['many hooks, which share two minutes a list', { hooks: ['pre_round = [["a"], ["b"], ["c"]]'] }, 1800 + 10 + FIXED + 60],
  ['the last notification', { notify: ['command = ["a"]'] }, 1800 + 10 + FIXED + 24],
  ['a hook at the start of serve is over long before', { hooks: ['serve_start = [["a"], ["b"]]'] }, 1800 + 10 + FIXED],
])('%s', (_name, changes, seconds) => {
  expect(stopBudget(config(changes)).seconds).toBe(seconds);
});

test('the terms add up and each says why', () => {
  const { seconds, terms } = stopBudget(config({ agent: ['exec_prefix = ["podman", "run", "-i", "image"]'] }));
  expect(terms.reduce((sum, term) => sum + term.seconds, 0)).toBe(seconds);
  expect(terms.map(({ name }) => name)).toEqual(['round', 'stop grace', 'ladder', 'container', 'commit', 'hooks', 'around']);
  expect(terms.every(({ why }) => why.length > 20)).toBe(true);
});

test("scar 11: the inner ceiling of every round lies within the service manager's patience, and no less than the predecessor's", () => {
  for (const changes of [{}, { runtime: ['round_timeout_s = 5'] }, { agent: ['exec_prefix = ["nice"]'] }]) {
    const loaded = config(changes);
    const wall = loaded.runtime.round_timeout_s;
    expect(roundCeilingS(loaded, wall)).toBeGreaterThanOrEqual(wall + 185);
    expect(stopBudget(loaded).seconds).toBeGreaterThan(roundCeilingS(loaded, wall));
    expect(stopBudget(loaded).seconds).toBeGreaterThanOrEqual(wall + 210);
    expect(stopBudget(loaded).seconds * 1000).toBeGreaterThan(outerCeilingMs(wall * 1000));
  }
});

test('the graces are the ones that are used', () => {
  expect([REAP_GRACE_S, LONGEST_COOPERATIVE_GRACE_S]).toEqual([5, 12]);
});
