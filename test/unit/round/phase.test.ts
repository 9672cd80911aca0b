import { expect, it } from 'vitest';
import { choosePhase } from '../../../src/round/phase.ts';
import { RunnerError } from '../../../src/util/errors.ts';

const remedy = (...args: Parameters<typeof choosePhase>) => {
  try {
    return choosePhase(...args);
  } catch (error) {
    return error instanceof RunnerError ? `${error.code} ${error.remedy}` : String(error);
  }
};

it.each<[string, string[], string]>([
  ['review', ['plan', 'review'], 'review'],
  ['reveiw', ['plan', 'review'], 'AR-CHK-007 Did you mean --phase review?'],
  ['deploy', ['plan', 'review'], 'AR-CHK-007 take one of plan, review'],
  ['deploy', [], 'AR-CHK-007 leave --phase out'],
])('a person asks for phase %s of %j', (wanted, list, expected) => {
  expect(remedy(list, wanted, null, 'person')).toBe(expected);
});

it('scar 72: a serve that asks for a phase that is not in the list is told to be restarted', () => {
  expect(remedy(['plan'], 'gone', 'plan')).toContain('restart serve');
});
