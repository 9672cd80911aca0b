import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { LoadedConfig } from '../../../src/config/load.ts';
import { parseConfig } from '../../../src/config/load.ts';
import { type AnnouncerInput, openAnnouncer } from '../../../src/hooks/announcer.ts';
import { MOST_WAITING } from '../../../src/hooks/debounce.ts';
import { notification, type StoppedFields } from '../../../src/hooks/schemas.ts';
import { systemClock } from '../../../src/util/clock.ts';
import { redact } from '../../../src/util/redact.ts';
import { type TestHooks, testHooks } from '../../support/hooks.ts';
import { until } from '../../support/wait.ts';

const STOPPED: StoppedFields = { reason: 'signal', exit_code: 0, sentence: 'over', remedy: null, rounds_completed: 1, log_path: null };
const NOT_NOW = new AbortController().signal;
const need = (reason: string) => ({ reason, message: 'look', command: 'agent-runner ack' });

function configOf(at: TestHooks, command: readonly string[], on = ['needs_human', 'stopped', 'hook_failed']): LoadedConfig {
  return parseConfig(
    `[agent]\ncommand = ["x"]\nprompt_delivery = "stdin"\n[runtime]\nwork_dir = "work"\nlog_dir = "${at.folder}/logs"\n[prompt]\nfile = "p.md"\n[notify]\ncommand = ${JSON.stringify(command)}\non = ${JSON.stringify(on)}\n`,
    join(at.folder, 'agent-runner.toml'),
  );
}

function open(at: TestHooks, command: readonly string[], more: Partial<AnnouncerInput> = {}) {
  const loaded = configOf(at, command);
  const describe = (stopped: boolean) => ({ sentence: stopped ? 'Stopped.' : 'Running; sk-ant-0123456789abcdef01234567.', command: null });
  return openAnnouncer({ world: at.world, current: () => loaded, describe, hide: redact, ...more });
}

const told = (at: TestHooks) =>
  at
    .read('told')
    .split('\n')
    .filter(Boolean)
    .map((line) => notification.parse(JSON.parse(line)));

it('tells at once and beside the caller, one after the other, redacted; what nobody wants to know is not told', async () => {
  const at = testHooks();
  const it = open(at, [at.script('tell', `sleep 1; cat >> "${at.folder}/told"`)]);
  const since = performance.now();
  it.offer('needs_human', need('auth'));
  it.offer('needs_human', need('billing'));
  it.offer('round_end', { round_num: 1 });
  expect(performance.now() - since).toBeLessThan(900);
  await until('both are told', () => told(at).length === 2);
  await it.close(STOPPED, NOT_NOW);
  expect(told(at).map(({ event, fields }) => [event, fields.reason])).toEqual([
    ['needs_human', 'auth'],
    ['needs_human', 'billing'],
    ['stopped', 'signal'],
  ]);
  expect(told(at)[0]?.sentence).toBe('Running; [redacted].');
  expect(told(at)[2]).toMatchObject({ sentence: 'Stopped.', fields: STOPPED });
});

it('a hundred of the same, and a hundred different ones: ten programs; at the end what fits into the time, and the end', async () => {
  const at = testHooks();
  const it = open(at, [at.script('tell', `cat >> "${at.folder}/told"`)]);
  for (let n = 0; n < 100; n += 1) {
    it.offer('needs_human', need('auth'));
    it.offer('needs_human', need(`reason ${n}`));
  }
  await until('ten are told', () => told(at).length >= 10);
  await systemClock.sleep(200);
  expect(told(at)).toHaveLength(10);
  await it.close(STOPPED, AbortSignal.abort());
  const events = told(at).map(({ event, fields }) => `${event} ${fields.reason}`);
  expect(events).toContain('stopped signal');
  expect(new Set(events).size).toBe(events.length);
  expect(events.length).toBeLessThanOrEqual(10 + MOST_WAITING + 1);
});

it('a program that fails is told in the log and never notified by itself', async () => {
  const at = testHooks();
  const it = open(at, [at.script('tell', `cat >> "${at.folder}/told"; echo "no route" >&2; exit 1`)]);
  it.offer('needs_human', need('auth'));
  await until('it has failed', () => at.events.length === 1);
  await it.close(STOPPED, NOT_NOW);
  expect(at.events.map(({ kind, fields }) => [kind, fields.hook_kind, fields.error_type])).toEqual([
    ['hook_failed', 'notify', 'exit_status'],
    ['hook_failed', 'notify', 'exit_status'],
  ]);
  expect(told(at).map(({ event }) => event)).toEqual(['needs_human', 'stopped']);
});

it('one that hangs does not keep the last word from being said, nor serve from ending', async () => {
  const at = testHooks({ notifyMs: 30_000, notifyCloseMs: 3_000 });
  const it = open(at, [at.script('tell', `read -r line; echo "$line" >> "${at.folder}/told"; while :; do sleep 0.05; done`)]);
  it.offer('needs_human', need('auth'));
  await until('it runs', () => told(at).length === 1);
  const since = performance.now();
  await it.close(STOPPED, NOT_NOW);
  expect(performance.now() - since).toBeLessThan(5_000);
  expect(told(at).map(({ event }) => event)).toEqual(['needs_human', 'stopped']);
});

it('a program that is not there, or a state that cannot be read, hurts nobody', async () => {
  const at = testHooks();
  const none = open(at, [join(at.folder, 'none')]);
  none.offer('needs_human', need('auth'));
  await none.close(STOPPED, NOT_NOW);
  expect(at.events).toMatchObject([{ fields: { error_type: 'not_started' } }, { fields: { error_type: 'not_started' } }]);
  const blind = open(at, [at.script('tell', `cat >> "${at.folder}/told"`)], {
    describe() {
      throw new Error('log_dir is gone');
    },
  });
  await blind.close(STOPPED, NOT_NOW);
  expect(told(at)).toMatchObject([{ event: 'stopped', sentence: `stopped in work` }]);
});

it('without a command, nothing is started and the end waits for nothing', async () => {
  const at = testHooks();
  writeFileSync(join(at.folder, 'p.md'), '');
  const loaded = configOf(at, ['true']);
  const silent = { ...loaded, config: { ...loaded.config, notify: { ...loaded.config.notify, command: null } } };
  const it = open(at, ['true'], { current: () => silent });
  it.offer('needs_human', need('auth'));
  const since = performance.now();
  await it.close(STOPPED, NOT_NOW);
  expect(performance.now() - since).toBeLessThan(900);
  expect(at.events).toEqual([]);
});

it('a kill that comes while the last word is being said shortens it; nobody is left', async () => {
  const at = testHooks();
  const it = open(at, [
    at.script(
      'tell',
      `read -r line; echo "$line" >> "${at.folder}/told"; echo $$ > "${at.folder}/pid"; trap '' TERM; while :; do sleep 0.05; done`,
    ),
  ]);
  it.offer('needs_human', need('auth'));
  await until('it runs', () => told(at).length === 1);
  const kill = new AbortController();
  const closing = it.close(STOPPED, kill.signal);
  await systemClock.sleep(200);
  const since = performance.now();
  kill.abort();
  await closing;
  expect(performance.now() - since).toBeLessThan(4_500);
  expect(told(at).map(({ event }) => event)).toEqual(['needs_human', 'stopped']);
  expect(
    existsSync(`/proc/${Number(at.read('pid'))}/cmdline`) && readFileSync(`/proc/${Number(at.read('pid'))}/cmdline`, 'utf8'),
  ).toBeFalsy();
});
