import { expect, test } from 'vitest';
import { selectPath } from '../../../../src/observe/peek/select.ts';

const TREE = { service: { pid: 7, rate_limit: null }, defenses: [{ name: 'hard wall' }, { name: 'idle wall' }], empty: {} };

test.each([
  ['service.pid', 7],
  ['service.rate_limit', null],
  ['defenses.1.name', 'idle wall'],
  ['defenses', TREE.defenses],
])('%s', (path, value) => {
  expect(selectPath(TREE, path)).toEqual(value);
});

test.each([
  ['servce', "there is no 'servce'; there are service, defenses, empty"],
  ['defenses.2', "there is no '2' in a list of 2"],
  ['defenses.first', "there is no 'first' in a list of 2"],
  ['service.pid.x', "there is no 'x' in 7"],
  ['service.rate_limit.agent', "there is no 'agent' in null"],
  ['empty.x', "there is no 'x' in an empty object"],
  ['', "there is no ''; there are"],
  ['service..pid', "there is no ''; there are pid, rate_limit"],
  ['toString', "there is no 'toString'"],
  ['__proto__', "there is no '__proto__'"],
  ['defenses.length', "there is no 'length' in a list of 2"],
])('%s is an error that names the segment', (path, words) => {
  expect(() => selectPath(TREE, path)).toThrow(words);
});
