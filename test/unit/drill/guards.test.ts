import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { DrillEvent, Finished, Scene } from '../../../src/drill/guard.ts';
import { GUARDS } from '../../../src/drill/list.ts';
import { testClock } from '../../support/clock.ts';
import { testFolder } from '../../support/folder.ts';

const ENDED: Finished = {
  code: 0,
  signal: null,
  stdout: '',
  stderr: '',
  timedOut: false,
  truncated: false,
  spawnError: null,
  durationMs: 500,
};

/** A scene in which the supervisor says these things and does nothing. */
function sceneOf(changes: Partial<Scene> & { told?: DrillEvent[]; exit?: number } = {}): Scene {
  const { told = [], exit = 0, ...rest } = changes;
  const workDir = testFolder();
  mkdirSync(join(workDir, '.git'));
  const events = (kind?: string) => told.filter(({ event }) => kind === undefined || event === kind);
  return {
    workDir,
    logDir: testFolder(),
    clock: testClock(),
    round: async () => ({ ...ENDED, code: exit }),
    serve: async () => ({ ...ENDED, code: exit }),
    events,
    outcome: () => events('agent_exit').at(-1)?.outcome ?? null,
    logBytes: () => 100,
    logTail: () => '',
    git: async () => '',
    heartbeat: () => '5',
    quiet: async () => true,
    ...rest,
  };
}

const exits = (outcome: string): DrillEvent => ({ event: 'agent_exit', outcome, exit_code: 0 });
const guard = (name: string) => GUARDS.find((one) => one.name === name) ?? expect.fail(name);

it('no guard is said to work where nothing happened', async () => {
  for (const { name, run } of GUARDS) expect.soft((await run(sceneOf())).works, name).toBe(false);
});

it('no guard is said to work where every round ends well and nothing more is told', async () => {
  for (const { name, run } of GUARDS) expect.soft((await run(sceneOf({ told: [exits('ok')] }))).works, name).toBe(false);
});

it('a hang is shown only by a helper that lived and lives no more', async () => {
  const told = [exits('timeout'), { event: 'round_reaped', escaped: [{ name: 'sh', pid: 9 }], survivors: [] }];
  expect(await guard('hang with an escapee').run(sceneOf({ told }))).toMatchObject({
    works: true,
    detail: expect.stringContaining('1 had escaped'),
  });
  expect(await guard('hang with an escapee').run(sceneOf({ told, quiet: async () => false }))).toEqual({
    works: false,
    detail: 'THE HELPER IS STILL ALIVE',
  });
  expect((await guard('hang with an escapee').run(sceneOf({ told, heartbeat: () => null }))).works).toBe(false);
});

it('a wall that comes late is none', async () => {
  const late = sceneOf({ told: [exits('timeout')], round: async () => ({ ...ENDED, durationMs: 60_000 }) });
  for (const name of ['deaf to TERM', 'stdin unread']) expect((await guard(name).run(late)).works).toBe(false);
});

it('a log over its bound fails although the round went well', async () => {
  const told = [exits('ok'), { event: 'round_log_truncated', dropped_bytes: 1 }];
  expect((await guard('output flood').run(sceneOf({ told }))).works).toBe(true);
  expect((await guard('output flood').run(sceneOf({ told, logBytes: () => 5_000_000 }))).works).toBe(false);
});

it('a prompt that is too long for an argument must be refused before the agent is started', async () => {
  const told = [{ event: 'smoke_check_failed', reason: 'x' }];
  expect((await guard('argument too long').run(sceneOf({ told, exit: 78 }))).works).toBe(true);
  expect((await guard('argument too long').run(sceneOf({ told: [...told, { event: 'agent_spawn' }], exit: 78 }))).works).toBe(false);
});

it('dirt that git refused, or that is still there after a stash, fails; each dirty_action has its own success', async () => {
  const seen = [exits('ok'), { event: 'dirty_detected' }];
  const stashed = [...seen, { event: 'orphan_stashed', ref: 'abc' }];
  const run = (scene: Scene) => guard('dirty tree').run(scene);
  expect((await run(sceneOf({ told: stashed }))).detail).toBe('kept as stash abc');
  expect((await run(sceneOf({ told: [...seen, { event: 'dirty_auto_committed', ref: 'def' }] }))).detail).toBe('committed as def');
  expect(await run(sceneOf({ told: seen, git: async () => '?? draft' }))).toMatchObject({
    works: true,
    detail: expect.stringContaining('ignore'),
  });
  expect((await run(sceneOf({ told: stashed, git: async () => '?? draft' }))).works).toBe(false);
  expect((await run(sceneOf({ told: [...seen, { event: 'orphan_stash_failed', reason: 'no identity' }] }))).detail).toBe(
    'git refused: no identity',
  );
});
