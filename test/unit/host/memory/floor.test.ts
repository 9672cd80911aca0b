import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type FloorRules, nextFloor, STEADY } from '../../../../src/host/memory/floor.ts';

const RULES: FloorRules = { consecutive: 3, terminate: true, defer: false };

/** `!` is a critical sample, `.` any other: what was told and done, as text. */
function run(samples: string, rules: FloorRules = RULES): string {
  let state = STEADY;
  const told: string[] = [];
  for (const word of samples) {
    const step = nextFloor(state, word === '!', rules);
    state = step.state;
    told.push(`${step.sample ?? '-'}${step.deferred ? 'd' : ''}${step.end ? 'END' : ''}`);
    if (step.end) break;
  }
  return told.join(' ');
}

describe('reference case 9: the floor under a round', () => {
  it.each([
    ['two critical samples and a healthy one end nothing', '!!.', RULES, '1 2 -'],
    ['scar 51: three in a row end the round', '!!!', RULES, '1 2 3END'],
    ['a healthy one begins the count anew', '!!.!!.!!!', RULES, '1 2 - 1 2 - 1 2 3END'],
    [
      'switched off: samples alone, six at most, and no word of deferring',
      '!!!!!!!!',
      { ...RULES, terminate: false, defer: true },
      '1 2 3 4 5 6 - -',
    ],
    ['deferred: told once an episode', '!!!!!.!!!!', { ...RULES, defer: true }, '1 2 3d 4 5 - 1 2 3d 4'],
    ['one sample is enough when it is so configured', '!', { ...RULES, consecutive: 1 }, '1END'],
  ])('%s', (_name, samples, rules, told) => {
    expect(run(samples, rules)).toBe(told);
  });

  it('a round is ended exactly when so many critical samples came one after another, whatever came before', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 60 }), fc.integer({ min: 1, max: 6 }), (samples, consecutive) => {
        const text = samples.map((critical) => (critical ? '!' : '.')).join('');
        const first = text.indexOf('!'.repeat(consecutive));
        const told = run(text, { ...RULES, consecutive }).split(' ');
        expect(told.findIndex((word) => word.endsWith('END'))).toBe(first < 0 ? -1 : first + consecutive - 1);
      }),
    );
  });

  it('off or deferred nothing is ever ended, and an episode tells at most twice the streak', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 60 }), fc.boolean(), (samples, terminate) => {
        let state = STEADY;
        let inEpisode = 0;
        for (const critical of samples) {
          const step = nextFloor(state, critical, { ...RULES, terminate, defer: terminate });
          state = step.state;
          inEpisode = critical ? inEpisode + (step.sample === null ? 0 : 1) : 0;
          expect(step.end).toBe(false);
          expect(inEpisode).toBeLessThanOrEqual(6);
        }
      }),
    );
  });
});
