import { mkdirSync, readdirSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { WELL } from '../support/fake-agents.ts';
import { hurry } from '../support/hurry.ts';
import { type Project, project } from '../support/project.ts';

const serve = (at: Project, rounds: number) => hurry(at, at.start(['serve', '--max-rounds', String(rounds)]));
const numbers = (at: Project) =>
  readdirSync(join(at.logDir, 'rounds'))
    .map((name) => Number(/^R(\d+)-/.exec(name)?.[1]))
    .sort((a, b) => a - b);

function oldLogs(at: Project, from: number, to: number): void {
  mkdirSync(join(at.logDir, 'rounds'), { recursive: true });
  for (let n = from; n <= to; n++) writeFileSync(join(at.logDir, 'rounds', `R${n}-20260101T000000.log`), '');
}

it('the newest logs are kept, by round number, as many as the configuration says', async () => {
  const at = project({ agent: WELL, runtime: { round_log_retention: 3 } });
  await serve(at, 6);
  // Pruned before the new log is made.
  expect(numbers(at)).toEqual([3, 4, 5, 6]);
  expect(readlinkSync(join(at.logDir, 'round-current.log'))).toMatch(/^rounds\/R6-/);
});

it('scar 31: deleting more at once than is kept was never meant: nothing goes, and it is told', async () => {
  const at = project({ agent: WELL, runtime: { round_log_retention: 10 } });
  oldLogs(at, 1, 50);
  await serve(at, 1);
  expect(numbers(at)).toHaveLength(51);
  expect(at.events('round_logs_prune_deferred')).toMatchObject([{ existing: 50, keep: 10, would_delete: 40 }]);
  expect(at.events('round_start')[0]?.round_num).toBe(51);
});

it('without the key nothing is ever deleted', async () => {
  const at = project({ agent: WELL });
  oldLogs(at, 1, 40);
  await serve(at, 1);
  expect(numbers(at)).toHaveLength(41);
  expect(at.events('round_logs_prune_deferred')).toEqual([]);
});

it('files of others in the folder are left alone', async () => {
  const at = project({ agent: WELL, runtime: { round_log_retention: 1 } });
  oldLogs(at, 1, 2);
  for (const name of ['notes.txt', 'R1-summary.md', 'R0.log']) writeFileSync(join(at.logDir, 'rounds', name), '');
  await serve(at, 1);
  expect(readdirSync(join(at.logDir, 'rounds'))).toEqual(expect.arrayContaining(['notes.txt', 'R1-summary.md', 'R0.log']));
  expect(numbers(at).filter((n) => n > 1)).toEqual([2, 3]);
});

it('scar 71: logs of the predecessor count for the number, and they and ours keep a number from coming twice', async () => {
  const at = project({ agent: WELL });
  mkdirSync(at.logDir);
  writeFileSync(join(at.logDir, 'round-41.log'), '');
  writeFileSync(join(at.logDir, 'round-999999999999.log'), '');
  await serve(at, 1);
  writeFileSync(join(at.logDir, 'status.json'), '{"round_num":');
  await serve(at, 1);
  writeFileSync(join(at.logDir, 'status.json'), '{"round_num":7}');
  await at.run(['round']);
  expect(at.events('round_start').map(({ round_num }) => round_num)).toEqual([42, 43, 44]);
  expect(at.events('status_recovered').length + at.events('state_file_set_aside').length).toBe(1);
});
