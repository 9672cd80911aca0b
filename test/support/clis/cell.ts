import type { TestContext } from 'vitest';
import { requirePart } from '../parts.ts';
import { EXPECTED } from './expected.ts';
import { type Measured, measure } from './measure.ts';
import { SITUATIONS, type Situation, type SituationName } from './situations.ts';
import type { CliName } from './versions.ts';

export interface Cell {
  cli: CliName;
  situation: SituationName;
}

/** Every cell takes its CLI's own time, and the machine's. */
export const CELL = { timeout: 400_000 };

/** `ok: exit 0 | no wait | 200 + 100 cached, 40 out, 1 calls`: what a person would read of it, without names of processes. */
export function inShort({ codes, outcomes, wait, usage, person }: Measured): string {
  const asked = person.length === 0 ? '' : `, asks for a person: ${person.join(', ')}`;
  return `${outcomes.join(', ')}: exit ${codes.join(', ')}${asked} | ${wait ?? 'no wait'} | ${usage ?? 'no usage'}`;
}

/** Drives the CLI through it and compares; gives back what was measured. */
export async function checkCell({ cli, situation }: Cell, { expect, skip }: Pick<TestContext, 'expect' | 'skip'>): Promise<Measured> {
  requirePart({ skip }, 'linux', 'root', 'unshare', 'setpriv', 'tini', 'ip', `cli ${cli}`);
  const measured = await measure(cli, situation);
  const { leaves, drive, behaviour }: Situation = SITUATIONS[situation];
  const { ended, outcomes, survivors, commits, recovered, log } = measured;
  // Stopped in the middle of its turn a CLI may or may not come to tell what it used; of cut streams it counts as many as it got.
  const told = drive === 'kill' || behaviour === 'drop' ? { ...measured, usage: null } : measured;
  expect.soft(inShort(told), log).toBe(EXPECTED[cli][situation]);
  expect.soft(survivors, log).toEqual([]);
  expect.soft(commits, log).toBe(/^ok/.test(outcomes[0] ?? '') ? 1 : 0);
  expect.soft(recovered, log).toBe(drive === 'crash');
  // A CLI that is told to end, or that nobody listens to any more, may end its tool by itself; else the receipt names it.
  if (leaves && (drive === 'kill' || recovered)) expect.soft(ended, log).not.toEqual([]);
  else if (leaves && outcomes[0] !== 'ok') expect.soft(ended.join(' '), log).toMatch(/\bsleep\b/);
  return measured;
}
