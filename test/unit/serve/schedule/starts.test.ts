import { mkdirSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { keepStarts } from '../../../../src/serve/schedule/starts.ts';
import { layout } from '../../../../src/state/layout.ts';
import { testClock } from '../../../support/clock.ts';
import { testFolder } from '../../../support/folder.ts';

const NOW = Date.parse('2026-11-29T12:00Z');
const HOUR = 3_600_000;
const cron = (text: string) => ({ timezone: null, run_windows: [], pause_windows: [], cron: [text] });

function open(content?: string, deliberateRestart = false, now = NOW) {
  const paths = layout(testFolder());
  mkdirSync(paths.state);
  if (content !== undefined) writeFileSync(paths.starts, content);
  const clock = testClock(now);
  return { clock, paths, starts: keepStarts(paths, clock, { deliberateRestart }) };
}
const kept = (at: string, key = '[null,"0 22 * * *"]') => JSON.stringify({ starts: [{ cron: key, at }] });
const NIGHTLY = cron('0 22 * * *');

it.each<[string, string | undefined, boolean, string]>([
  ['nothing is known: from now on', undefined, false, '2026-11-29T12:00Z'],
  ['what was kept', kept('2026-11-20T22:00:00.000Z'), false, '2026-11-20T22:00Z'],
  ['after a stop on purpose an hour is made up', kept('2026-11-20T22:00:00.000Z'), true, '2026-11-29T11:00Z'],
  ['and nothing twice', kept('2026-11-29T11:30:00.000Z'), true, '2026-11-29T11:30Z'],
  ['a clock that was set back some hours', kept('2026-11-29T22:00:00.000Z'), false, '2026-11-29T22:00Z'],
  ['a clock that was years ahead', kept('2036-11-29T22:00:00.000Z'), false, '2026-11-29T12:00Z'],
  ['the end of all dates', kept('+275760-09-13T00:00:00.000Z'), false, '2026-11-29T12:00Z'],
  ['their beginning', kept('-271821-04-20T00:00:00.000Z'), false, '2026-11-29T12:00Z'],
  ['other expressions', kept('2026-11-20T22:00:00.000Z', '[null,"0 23 * * *"]'), false, '2026-11-29T12:00Z'],
  ['another zone', kept('2026-11-20T22:00:00.000Z', '["UTC","0 22 * * *"]'), false, '2026-11-29T12:00Z'],
  ['no JSON', '{"starts": [', false, '2026-11-29T12:00Z'],
  ['another shape', '{"starts": {"a": 1}}', false, '2026-11-29T12:00Z'],
  ['null', 'null', false, '2026-11-29T12:00Z'],
  ['entries that are none', '{"starts": [null, 3, {"cron": 4}, {"cron": "x", "at": "no time"}]}', false, '2026-11-29T12:00Z'],
])('%s', (_, content, deliberate, expected) => {
  expect(open(content, deliberate).starts.lastStart(NIGHTLY)).toBe(Date.parse(expected));
});

it('a start is kept before its round runs, and given back when the round could not', () => {
  const { starts, clock, paths } = open();
  starts.lastStart(NIGHTLY);
  clock.set(NOW + 10 * HOUR);
  starts.started(NIGHTLY);
  expect(keepStarts(paths, clock, { deliberateRestart: false }).lastStart(NIGHTLY)).toBe(NOW + 10 * HOUR);
  starts.giveBack();
  expect(starts.lastStart(NIGHTLY)).toBe(NOW);
  starts.giveBack();
  expect(starts.lastStart(NIGHTLY)).toBe(NOW);
});

it('without expressions nothing is written; with ever new ones the file does not grow', () => {
  const { starts, paths, clock } = open();
  starts.started({ ...NIGHTLY, cron: [] });
  expect(keepStarts(paths, clock, { deliberateRestart: false }).lastStart(NIGHTLY)).toBe(NOW);
  for (let i = 0; i < 200; i++) starts.lastStart(cron(`${i % 60} ${i % 24} * * *`));
  clock.set(NOW + HOUR);
  const again = keepStarts(paths, clock, { deliberateRestart: false });
  expect(again.lastStart(cron('19 7 * * *'))).toBe(NOW);
  expect(again.lastStart(cron('0 0 * * *'))).toBe(NOW + HOUR);
});
