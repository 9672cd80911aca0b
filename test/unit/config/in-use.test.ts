import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { acknowledgeConfig, configAfter, configBefore, digestOfFile, saveInUse, startConfig } from '../../../src/config/in-use.ts';
import { ConfigProblems } from '../../../src/config/problems.ts';
import { writeInFlight } from '../../../src/state/in-flight.ts';
import { layout } from '../../../src/state/layout.ts';
import { RunnerError } from '../../../src/util/errors.ts';
import { testFolder } from '../../support/folder.ts';
import { fileWith } from './sample.ts';

function project() {
  const folder = testFolder();
  const file = join(folder, 'agent-runner.toml');
  const paths = layout(join(folder, 'logs'));
  mkdirSync(paths.state, { recursive: true });
  const write = (delay: number, more = '') =>
    writeFileSync(file, `${fileWith({ runtime: ['log_dir = "logs"', `restart_delay_s = ${delay}`] })}\n${more}`);
  write(3);
  const begin = () => {
    const step = startConfig(file);
    saveInUse(paths, step.inUse);
    return step;
  };
  const dieInRound = (digest: string) =>
    writeInFlight(paths, { round_num: 4, round_id: 'r', token: 't', owner: 'o', config_digest: digest, started_at: '', container: null });
  return { file, paths, write, begin, dieInRound };
}

const delayOf = (step: { inUse: { loaded: { config: { runtime: { restart_delay_s: number } } } } }) =>
  step.inUse.loaded.config.runtime.restart_delay_s;
const kinds = (step: { events: { kind: string }[] }) => step.events.map(({ kind }) => kind);

it('an edit between rounds waits for reload, which names the changed keys and no values', () => {
  const { paths, write, begin } = project();
  let step = begin();
  write(9, '[vcs]\ndirty_action = "ignore"\n');
  step = configBefore(paths, step.inUse, false);
  expect([delayOf(step), step.file, kinds(step)]).toEqual([3, 'pending', ['config_changed']]);
  expect(step.events[0]?.fields).toMatchObject({ during_round: false, round_num: null });
  step = configBefore(paths, step.inUse, true);
  expect([delayOf(step), step.file, kinds(step)]).toEqual([9, 'same', ['config_reloaded']]);
  expect(step.events[0]?.fields).toEqual({
    keys: ['runtime.restart_delay_s', 'vcs.dirty_action'],
    config_digest: step.inUse.loaded.digest,
  });
});

it('an edit in a round is not adopted: not by reload, not by a restart, not after kill -9, until it is acknowledged', () => {
  const { file, paths, write, begin } = project();
  let step = configBefore(paths, begin().inUse, false);
  const before = digestOfFile(file);
  write(1);
  step = configAfter(paths, step.inUse, before, 7);
  expect([delayOf(step), step.file, kinds(step)]).toEqual([3, 'suspect', ['config_changed']]);
  expect(step.events[0]?.fields).toMatchObject({ during_round: true, round_num: 7, found_digest: digestOfFile(file) });
  expect(delayOf(configBefore(paths, step.inUse, true))).toBe(3);

  const restarted = begin();
  expect([delayOf(restarted), restarted.file, kinds(restarted)]).toEqual([3, 'suspect', []]);

  expect(acknowledgeConfig(paths, file)).toBe(digestOfFile(file));
  step = configBefore(paths, restarted.inUse, false);
  expect([delayOf(step), step.file, kinds(step)]).toEqual([1, 'same', ['config_reloaded']]);
  expect(existsSync(paths.configAck)).toBe(false);
  expect(delayOf(begin())).toBe(1);
});

it('kill -9 in the middle of the round in which the agent edited: the old configuration is in force at the next start', () => {
  const { file, paths, write, begin, dieInRound } = project();
  dieInRound(begin().inUse.loaded.digest);
  write(1);
  const step = begin();
  expect([delayOf(step), step.file, kinds(step)]).toEqual([3, 'suspect', ['config_changed']]);
  rmSync(paths.inFlight);
  expect(delayOf(begin())).toBe(3);
  acknowledgeConfig(paths, file);
  const acknowledged = begin();
  expect([delayOf(acknowledged), kinds(acknowledged)]).toEqual([1, ['config_reloaded']]);
});

it('also when the agent made the file unreadable as TOML, as long as its log_dir line stands', () => {
  const { file, write, begin, dieInRound } = project();
  dieInRound(begin().inUse.loaded.digest);
  writeFileSync(file, `${readFileSync(file, 'utf8')}\n[[[\n`);
  expect([delayOf(begin()), begin().file]).toEqual([3, 'suspect']);
  write(3);
  expect(begin().file).toBe('same');
});

it('a person’s edit while nothing runs is adopted at the next start without ceremony', () => {
  const { write, begin } = project();
  begin();
  write(8);
  const step = begin();
  expect([delayOf(step), step.file, kinds(step)]).toEqual([8, 'same', []]);
});

it('putting the old text back ends the suspicion', () => {
  const { file, paths, write, begin } = project();
  let step = begin();
  const before = digestOfFile(file);
  write(1);
  step = configAfter(paths, step.inUse, before, 1);
  write(3);
  step = configBefore(paths, step.inUse, false);
  expect([step.file, kinds(step)]).toEqual(['same', []]);
});

it('an answer that was given while a round ran is not asked for again when it ends', () => {
  const { file, paths, write, begin } = project();
  let step = begin();
  const before = digestOfFile(file);
  write(1);
  step = configAfter(paths, step.inUse, before, 1);
  expect(step.file).toBe('suspect');
  acknowledgeConfig(paths, file);
  step = configAfter(paths, step.inUse, digestOfFile(file), 2);
  expect([delayOf(step), step.file]).toEqual([3, 'pending']);
  expect(delayOf(configBefore(paths, step.inUse, false))).toBe(1);

  write(2);
  step = configAfter(paths, step.inUse, digestOfFile(file), 3);
  expect(step.file, 'the answer was for another text').toBe('suspect');
});

it('a reload of an invalid file keeps the old one and says why, in one line', () => {
  const { paths, write, begin } = project();
  const { inUse } = begin();
  write(3, '[vcs]\ndirty_acton = "ignore"\nx = 1\n');
  const step = configBefore(paths, inUse, true);
  expect([delayOf(step), kinds(step)]).toEqual([3, ['config_reload_failed']]);
  expect(step.events[0]?.fields).toEqual({ reason: expect.stringMatching(/vcs\.dirty_acton: is not a known key \(and 1 more\)$/) });
});

it('a changed work_dir or log_dir needs a restart: nothing of the new file is used before', () => {
  const { file, paths, write, begin } = project();
  const { inUse } = begin();
  write(9);
  writeFileSync(file, readFileSync(file, 'utf8').replace('log_dir = "logs"', 'log_dir = "other"'));
  const step = configBefore(paths, inUse, true);
  expect([delayOf(step), kinds(step)]).toEqual([3, ['config_reload_failed']]);
});

it('a wrong file at a start has nothing to fall back on', () => {
  const { write, begin } = project();
  begin();
  write(3, 'nonsense');
  expect(begin).toThrow(ConfigProblems);
});

it('a lost or damaged copy of what was accepted is an error that names the way out', () => {
  const { paths, write, begin, dieInRound } = project();
  dieInRound(begin().inUse.loaded.digest);
  write(1);
  writeFileSync(paths.acceptedConfigText, 'x = 1\n');
  expect(begin).toThrow(expect.objectContaining({ code: 'AR-CFG-040', exitCode: 78 }) as RunnerError);
  rmSync(paths.acceptedConfigText);
  expect(begin).toThrow(RunnerError);
});

it('a corrupt record counts as none', () => {
  const { paths, write, begin } = project();
  begin();
  writeFileSync(paths.acceptedConfig, '{"accepted_digest": ');
  write(5);
  expect(delayOf(begin())).toBe(5);
});
