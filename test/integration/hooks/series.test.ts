import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parseConfig } from '../../../src/config/load.ts';
import { HOOK_MARK } from '../../../src/hooks/environment.ts';
import { endHooksOfTheDead } from '../../../src/hooks/recover.ts';
import { hooksOf, runSeries, type Series } from '../../../src/hooks/series.ts';
import { runCommand } from '../../../src/process/command.ts';
import { ownStart } from '../../../src/state/process-start.ts';
import { type TestHooks, testHooks } from '../../support/hooks.ts';

const NEVER = new AbortController().signal;

function series(at: TestHooks, commands: readonly (readonly string[])[], more: Partial<Series> = {}, tables = ''): Series {
  const loaded = parseConfig(
    `[agent]\ncommand = ["x"]\nprompt_delivery = "stdin"\n[runtime]\nwork_dir = "work"\nlog_dir = "${at.folder}/logs"\n[prompt]\nfile = "p.md"\n[hooks]\npre_round = ${JSON.stringify(commands)}\n${tables}`,
    join(at.folder, 'agent-runner.toml'),
  );
  return { kind: 'pre_round', loaded, payload: () => ({}), signal: NEVER, ...more };
}

it('one after the other; a failure stops the rest only where that is wanted; disabled ones are left out', async () => {
  const at = testHooks();
  const [one, bad, two] = [at.script('one', 'echo 1'), at.script('bad', 'exit 4'), at.script('two', 'echo 2')];
  const taken: string[] = [];
  const take = (stdout: string) => {
    taken.push(stdout.trim());
    return null;
  };
  expect(await runSeries(at.world, series(at, [[one], [bad], [two]], { take }))).toMatchObject([{ name: 'bad' }]);
  expect(taken).toEqual(['1', '2']);
  taken.length = 0;
  await runSeries(at.world, series(at, [[one], [bad], [two]], { take, stopAtFailure: true }));
  expect(taken).toEqual(['1']);
  const without = series(at, [[one], [bad], [two]], {}, '[plugins]\ndisable = ["bad"]\n');
  expect(hooksOf(without.loaded, 'pre_round').map(({ name }) => name)).toEqual(['one', 'two']);
});

it('the hooks of a kind share their time: the last one is not started any more', async () => {
  const at = testHooks({ eachMs: 4_000, kindMs: 4_500, killAfterMs: 100 });
  const slow = at.script('slow', 'sleep 10');
  const late = at.script('late', `echo ran > "${at.folder}/late.ran"`);
  const since = performance.now();
  const failures = await runSeries(at.world, series(at, [[slow], [slow], [late]]));
  expect(performance.now() - since).toBeLessThan(4_500);
  expect(failures.map(({ failure }) => failure.error_type)).toEqual(['timeout', 'timeout', 'no_time_left'].slice(0, failures.length));
  expect(failures.at(-1)?.failure.error_type).toBe('no_time_left');
  expect(at.read('late.ran')).toBe('');
});

it('what breaks within a hook of ours is its failure and not that of the round', async () => {
  const at = testHooks();
  const broken = series(at, [[at.script('one', '')]], {
    take() {
      throw new Error('a bug');
    },
  });
  expect(await runSeries(at.world, broken)).toMatchObject([
    { failure: { error_type: 'internal', error_message: expect.stringContaining('a bug') } },
  ]);
});

it('a program that was changed is not run, told once as changed, and a person is asked', async () => {
  const at = testHooks();
  const asked: string[][] = [];
  at.world.programs = { changed: () => ['/work/x'], isNews: () => asked.length === 0 };
  at.world.onChanged = (paths) => void asked.push(paths);
  const path = at.script('one', `echo ran > "${at.folder}/one.ran"`);
  for (const round of [1, 2]) await runSeries(at.world, series(at, [[path]], { roundNum: round }));
  expect(at.read('one.ran')).toBe('');
  expect(at.events.map(({ kind }) => kind)).toEqual(['hook_changed', 'hook_failed', 'hook_failed']);
  expect(asked).toHaveLength(2);
});

it('records of the dead are cleared away with what lives of them; those of the living and of elsewhere stay untouched', async () => {
  const at = testHooks();
  const { paths, emit, clock } = at.world;
  const token = '01234567-89ab-cdef-0123-456789abcdef';
  const dead = { supervisor: { pid: 4_194_000, create_time: 1 }, pid_ns: '', running: [{ token, kind: 'post_round', name: 'push' }] };
  const write = (pid: number, record: unknown) => writeFileSync(paths.hooksInFlight(pid), JSON.stringify(record));
  // Left by a hook: it has a session of its own and ignores the polite signal.
  await runCommand(['sh', '-c', `trap '' TERM; setsid sleep 60 & echo $! > "${at.folder}/pid"`], {
    env: { ...process.env, [HOOK_MARK]: token },
  });
  write(1, dead);
  write(2, { ...dead, supervisor: ownStart() });
  write(3, { ...dead, pid_ns: '1' });
  write(4, 'torn');
  write(5, { ...dead, running: [{ token: '', kind: 'x', name: 'y' }] });
  await endHooksOfTheDead(paths, emit, clock);
  expect(at.events).toMatchObject([
    { kind: 'hook_failed', fields: { hook_name: 'push', hook_kind: 'post_round', error_type: 'supervisor_died' } },
  ]);
  const pid = Number(at.read('pid'));
  const alive = existsSync(`/proc/${pid}`) && !/^\d+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  expect(alive).toBe(false);
  expect(readdirSync(paths.state).filter((name) => name.startsWith('hooks-in-flight'))).toEqual(['hooks-in-flight-2.json']);
});
