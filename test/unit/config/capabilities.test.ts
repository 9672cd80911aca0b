import { expect, it } from 'vitest';
import { CAPABILITIES, isBuilt } from '../../../src/config/capabilities.ts';
import { parseConfig } from '../../../src/config/load.ts';
import { configTable } from '../../../src/config/schema.ts';
import { everyKeyOf } from '../../../src/config/schema-walk.ts';
import { AT, fileWith, problemsOf } from './sample.ts';

const warned = (changes: Record<string, string[]>) =>
  parseConfig(fileWith(changes), AT).warnings.map(({ key, code, line }) => `${key} ${code} ${line}`);

it('a promise of safety that nobody keeps is refused, anything else warns once for its table', () => {
  expect(warned({ monitor: ['auth_fail_hint = "x"'], 'monitor.host_health': ['disk_warning_pct = 80'] })).toEqual([
    'monitor.auth_fail_hint AR-CFG-015 11',
  ]);
  expect(warned({ hooks: ['pre_round = [["make"]]'], notify: ['command = ["ntfy"]'], web: ['port = 1'] })).toEqual(['web AR-CFG-015 14']);
});

it('what is built is neither refused nor remarked on', () => {
  const changes = {
    runtime: ['pid_namespace = true'],
    limits: ['round_memory_max_mb = 2048'],
    agent: ['fallback = [{ preset = "codex" }]'],
    phases: ['list = ["build", "review"]', 'phase_policy = "skip"'],
  };
  expect(problemsOf(fileWith(changes))).toEqual([]);
  expect(warned(changes)).toEqual([]);
});

it('a value that asks for nothing is neither refused nor remarked on', () => {
  const changes = {
    runtime: ['pid_namespace = false'],
    limits: [],
    agent: ['fallback = []'],
    phases: ['phase_policy = "wait"'],
    hooks: ['pre_round = []'],
  };
  expect(problemsOf(fileWith(changes))).toEqual([]);
  expect(warned(changes)).toEqual([]);
});

it('each key that a capability names is one of the schema', () => {
  const known = everyKeyOf(configTable).map(({ path }) => path.map((step) => (step === '<name>' ? '*' : step)).join('.'));
  const tables = Object.keys(configTable.shape);
  const strangers = CAPABILITIES.flatMap(({ keys }) => keys).filter(
    (key) => !tables.includes(key) && !known.some((own) => own === key || own.startsWith(`${key}.`)),
  );
  expect(strangers).toEqual([]);
  expect(isBuilt('runtime.max_rounds')).toBe(true);
  expect(isBuilt('sandbox.engine')).toBe(false);
  expect(isBuilt('limits.max_rounds_per_hour')).toBe(true);
  expect(isBuilt('limits.round_memory_max_mb')).toBe(true);
});
