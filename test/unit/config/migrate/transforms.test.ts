import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../../../src/config/load.ts';
import { type Migration, migrateText } from '../../../../src/config/migrate/migrate.ts';
import { AT, fileWith } from '../sample.ts';

const migrate = (text: string) => migrateText(text, AT);
const done = ({ applied }: Migration) => applied.map(({ id, key }) => `${id}: ${key}`);
const byHand = ({ manual }: Migration) => manual.map(({ id, key }) => `${id}: ${key}`);

/** The good file with lines added, migrated; it must be accepted afterwards, and a second run must find nothing to do. */
function fixed(changes: Record<string, readonly string[]>): Migration {
  const migration = migrate(fileWith(changes));
  expect(byHand(migration)).toEqual([]);
  expect(() => parseConfig(migration.text, AT)).not.toThrow();
  expect(migrate(migration.text)).toMatchObject({ text: migration.text, applied: [], manual: [] });
  return migration;
}

/** The good file with lines added that nobody can be sure of: the text stays byte for byte. */
function left(changes: Record<string, readonly string[]>): string[] {
  const text = fileWith(changes);
  const migration = migrate(text);
  expect(migration.text).toBe(text);
  return byHand(migration);
}

describe('renamed keys', () => {
  it('rate_limit_action of before 0.1.29 becomes transient_error_action, value and comment kept', () => {
    const { text } = fixed({ runtime: ["rate_limit_action = 'back_off'   # be patient"] });
    expect(text).toContain("transient_error_action = 'back_off'   # be patient");
  });

  it('orphan_action of before 0.1.18 becomes dirty_action', () => {
    expect(fixed({ vcs: ['orphan_action = "auto_commit"'] }).text).toContain('dirty_action = "auto_commit"');
  });

  it.each([
    [
      'a value of which nobody knows what it meant',
      { runtime: ['rate_limit_action = "sleep"'] },
      'rate-limit-action: runtime.rate_limit_action',
    ],
    ['a value that is no text', { vcs: ['orphan_action = true'] }, 'orphan-action: vcs.orphan_action'],
    [
      'scar 74: the old and the new name, both given',
      { runtime: ['rate_limit_action = "skip"', 'transient_error_action = "stop"'] },
      'rate-limit-action: runtime.rate_limit_action',
    ],
    [
      'scar 74: both given, and the same',
      { vcs: ['orphan_action = "stash"', 'dirty_action = "stash"'] },
      'orphan-action: vcs.orphan_action',
    ],
  ])('left to a person: %s', (_, changes, item) => {
    expect(left(changes)).toEqual([item]);
  });

  it.each([
    ['under a header of its own', { runtime: ['rate_limit_action = "skip"'] }],
    ['with blanks and quotes around the key', { runtime: ['  "rate_limit_action"="skip"'] }],
  ])('however it is written: %s', (_, changes) => {
    expect(parseConfig(fixed(changes).text, AT).config.runtime.transient_error_action).toBe('skip');
  });

  it('also in a table in braces and by dotted keys', () => {
    const braces = migrate(
      'agent = { command = ["claude"], prompt_arg_template = ["{prompt}"] }\nruntime = { work_dir = ".", rate_limit_action = "skip", log_dir = "/l" }\nprompt.file = "p.md"\nvcs.orphan_action = "ignore" # mine',
    );
    expect(braces.manual).toEqual([]);
    expect(braces.text).toContain('runtime = { work_dir = ".", transient_error_action = "skip", log_dir = "/l" }');
    expect(braces.text).toContain('vcs.dirty_action = "ignore" # mine');
  });
});

describe('walls of phases', () => {
  const phases = ['list = ["build", "odd name"]'];

  it('round_timeout_per_phase becomes a key of each phase; the old table stays as a comment', () => {
    const { text } = fixed({
      phases,
      'phases.build': ['prompt.files = ["b.md"]'],
      'runtime.round_timeout_per_phase': ['build = 600 # short', '"odd name" = 60'],
    });
    expect(text).toContain('# [runtime.round_timeout_per_phase]\n# build = 600 # short\n# "odd name" = 60');
    const { overrides } = parseConfig(text, AT).config.phases;
    expect(overrides).toMatchObject({ build: { round_timeout_s: 600 }, 'odd name': { round_timeout_s: 60 } });
  });

  it.each([
    ['one number for all', { runtime: ['round_timeout_per_phase = 600'], phases }],
    ['a phase that is not in the list', { runtime: ['round_timeout_per_phase = { test = 600 }'], phases }],
    ['a value that is no number', { runtime: ['round_timeout_per_phase = { build = "600" }'], phases }],
    [
      'scar 74: a phase that has a wall already',
      { runtime: ['round_timeout_per_phase = { build = 600 }'], phases, 'phases.build.runtime': ['round_budget_s = 700'] },
    ],
  ])('left to a person: %s', (_, changes) => {
    expect(left(changes)).toEqual(['round-timeout-per-phase: runtime.round_timeout_per_phase']);
  });

  it('one name of the wall is as good as the other; both are left to a person', () => {
    for (const name of ['round_timeout_s', 'round_budget_s']) {
      expect(migrate(fileWith({ runtime: [`${name} = 60`] }))).toMatchObject({ applied: [], manual: [] });
    }
    expect(left({ runtime: ['round_timeout_s = 60', 'round_budget_s = 60'] })).toEqual(['two-walls: runtime.round_budget_s']);
    expect(left({ phases, 'phases.build': ['round_timeout_s = 60'], 'phases.build.runtime': ['round_budget_s = 60'] })).toEqual([
      'phase-twins: phases.build.runtime.round_timeout_s',
    ]);
  });
});

describe('the grouped thresholds of 0.3', () => {
  const groups = {
    'monitor.host_health.memory': ['avail_min_mb = 120 # board', 'swap_out_noise_floor_mb = 8', 'free_low_mb = 4'],
    'monitor.host_health.disk': ['warning_pct = 80.0', 'critical_pct = 90.5'],
    'monitor.host_health.pressure': [
      'full_avg10_critical = 40.0',
      'some_avg10_warning = 2',
      'critical_consecutive_samples = 5',
      'in_round_terminate = false',
      'in_round_nudge = false # off',
      'cgroup_growth_rate_warning_mb_per_min = 100',
    ],
    'monitor.host_health.brake': ['memory_high = true', 'memory_high_step_pct = 10', 'warning_consecutive_samples = 3'],
  };
  const flat = {
    mem_avail_min_mb: 120,
    swap_sout_noise_floor_mb: 8,
    mem_free_low_mb: 4,
    disk_warning_pct: 80,
    disk_critical_pct: 90.5,
    psi_full_avg10_critical: 40,
    psi_some_avg10_warning: 2,
    mem_critical_consecutive_samples: 5,
    in_round_mem_terminate: false,
    brake_memory_high: true,
  };

  it.each([
    ['each under its header', groups],
    ['with a header of the parent before', { 'monitor.host_health': [], ...groups }],
    ['with a header of the parent behind', { ...groups, 'monitor.host_health': ['# nothing of its own'] }],
    ['with other tables between', { 'monitor.host_health': [], notify: [], ...groups }],
    [
      'in braces',
      {
        'monitor.host_health': [
          'memory = { avail_min_mb = 120, swap_out_noise_floor_mb = 8, free_low_mb = 4 }',
          'disk = { warning_pct = 80.0, critical_pct = 90.5 }',
          'pressure = { full_avg10_critical = 40.0, some_avg10_warning = 2, critical_consecutive_samples = 5, in_round_terminate = false, in_round_nudge = false }',
          'brake = { memory_high = true }',
        ],
      },
    ],
    [
      'braces within braces',
      {
        monitor: [
          'host_health = { disk = { warning_pct = 80.0, critical_pct = 90.5 }, brake = { memory_high = true }, memory = { avail_min_mb = 120, swap_out_noise_floor_mb = 8, free_low_mb = 4 }, pressure = { in_round_nudge = false, full_avg10_critical = 40.0, some_avg10_warning = 2, critical_consecutive_samples = 5, in_round_terminate = false } }',
        ],
      },
    ],
    [
      'by dotted keys',
      {
        monitor: [
          'host_health.memory.avail_min_mb = 120',
          'host_health.memory.swap_out_noise_floor_mb = 8',
          'host_health.memory.free_low_mb = 4',
          'host_health.disk.warning_pct = 80.0',
          'host_health.disk.critical_pct = 90.5',
          'host_health.pressure.full_avg10_critical = 40.0',
          'host_health.pressure.some_avg10_warning = 2',
          'host_health.pressure.critical_consecutive_samples = 5',
          'host_health.pressure.in_round_terminate = false',
          'host_health.brake.memory_high = true',
        ],
      },
    ],
  ])('become flat: %s', (_, changes) => {
    const { text } = fixed(changes);
    expect(parseConfig(text, AT).config.monitor.host_health).toMatchObject(flat);
  });

  it('keep their comments, beside them and above', () => {
    const { text } = fixed({
      'monitor.host_health': ['mem_free_low_mb = 4'],
      vcs: ['dirty_action = "ignore"'],
      'monitor.host_health.memory': ['# the board has 512 MB', 'avail_min_mb = 120 # a quarter'],
    });
    expect(text).toContain('mem_free_low_mb = 4\n# the board has 512 MB\nmem_avail_min_mb = 120 # a quarter\n');
  });

  it('scar 74: flat and grouped names of one setting are left to a person', () => {
    expect(left({ 'monitor.host_health': ['mem_avail_min_mb = 100'], 'monitor.host_health.memory': ['avail_min_mb = 120'] })).toEqual([
      'host-health-groups: monitor.host_health.memory.avail_min_mb',
    ]);
  });

  it('a protection that is switched on and has no counterpart is told, never dropped', () => {
    expect(left({ 'monitor.host_health.pressure': ['in_round_nudge = true', 'full_avg10_critical = 40'] })).toEqual([
      'host-health-without-counterpart: monitor.host_health.pressure.in_round_nudge',
    ]);
  });

  it('an unknown key and a value out of range are told by their own names', () => {
    expect(left({ 'monitor.host_health.memory': ['avail_mb = 1'] })).toEqual(['host-health-groups: monitor.host_health.memory.avail_mb']);
    const migration = migrate(fileWith({ 'monitor.host_health.disk': ['warning_pct = 120'] }));
    expect(byHand(migration)).toEqual(['value: monitor.host_health.disk_warning_pct']);
  });
});

describe('scar 66: a text where a list belongs', () => {
  it.each([
    [{ agent: ['command = "claude"'] }, 'command = ["claude"]'],
    [{ agent: ["prompt_arg_template = '-p' # print"] }, "prompt_arg_template = ['-p'] # print"],
    [{ schedule: ['run_windows = "Mon-Fri 22:00-06:00"'] }, 'run_windows = ["Mon-Fri 22:00-06:00"]'],
    [{ runtime: ["grace_kill_ignore_patterns = 'a helper'"] }, "grace_kill_ignore_patterns = ['a helper']"],
    [{ phases: ['list = "build"'], 'phases.build.prompt': ['files = "b.md"'] }, 'files = ["b.md"]'],
  ])('is put into brackets when it can only be one item: %j', (changes, line) => {
    expect(fixed(changes).text).toContain(line);
  });

  it.each([
    [{ agent: ['command = "claude --model opus"'] }, 'bare-string: agent.command'],
    [{ agent: ['exec_prefix = "docker run -i img"'] }, 'bare-string: agent.exec_prefix'],
    [{ phases: ['list = "build,test"'] }, 'bare-string: phases.list'],
    [{ agent: ['command = ""'] }, 'bare-string: agent.command'],
  ])('is left to a person when it may be several: %j', (changes, item) => {
    expect(left(changes)).toEqual([item]);
  });
});

describe('removed tables', () => {
  it('[goal] and its checks become comments, whatever they hold', () => {
    const { text } = fixed({
      goal: ['ledger = "goal.md" # notes'],
      'monitor.host_health': ['mem_free_low_mb = 4'],
      '[goal.checks]': ['name = "tests"', 'cmd = [', '  "make", # all', '  """', 'x = 1', '"""', ']'],
    });
    expect(text).toContain('# [goal]\n# ledger = "goal.md" # notes\n');
    expect(text).toContain('# [[goal.checks]]\n# name = "tests"\n# cmd = [\n#   "make", # all\n');
    expect(parseConfig(text, AT).config.monitor.host_health.mem_free_low_mb).toBe(4);
  });

  it('settings of Python plugins stay where they are, as advice', () => {
    const text = fileWith({ 'plugins.raw': ['ledger = "x"'], plugins: ['pin = []'] });
    const migration = migrate(text);
    expect(migration).toMatchObject({ text, applied: [], manual: [] });
    expect(migration.advice.map(({ key }) => key)).toEqual(['plugins.raw', 'plugins.pin']);
  });
});

describe('schema_version', () => {
  it('is stamped last on a file that was changed, and on no other', () => {
    expect(done(fixed({ agent: ['command = "claude"'] }))).toEqual(['bare-string: agent.command', 'schema-version: schema_version']);
    expect(done(fixed({ '': ['schema_version = 1 # 0.3'], agent: ['command = "claude"'] }))).toEqual(['bare-string: agent.command']);
    expect(done(fixed({ runtime: ['round_budget_s = 60'] }))).toEqual([]);
  });

  it('stands before other keys of the top level, and above the first table', () => {
    expect(migrate(`# head\nvcs.orphan_action = "stash"\n${fileWith()}`).text).toMatch(/^# head\nschema_version = 1\nvcs/);
    expect(migrate(fileWith({ agent: ['command = "claude"'] })).text).toMatch(/^schema_version = 1\n\n\[agent\]/);
  });

  it('is raised, never lowered', () => {
    expect(fixed({ '': ['schema_version = 0'] }).text).toContain('schema_version = 1\n');
    expect(left({ '': ['schema_version = 2'] })).toEqual(['schema-version: schema_version']);
    expect(left({ '': ['schema_version = true'] })).toEqual(['value: schema_version']);
    expect(left({ '': ['schema_version = "1"'] })).toEqual(['value: schema_version']);
  });
});

describe('what a person has to decide', () => {
  it.each([
    [{ phases: ['list = ["a"]'], 'phases.a.agent': ['exec_prefix = ["docker"]'] }, 'not-per-phase: phases.a.agent.exec_prefix'],
    [{ runtime: ['round_timout_s = 60'] }, 'unknown-key: runtime.round_timout_s'],
    [{ agent: ['prompt_delivery = "argv"'] }, 'prompt-delivery: agent.prompt_arg_template'],
    [{ prompt: ['files = ["a.md"]'] }, 'two-prompts: prompt.files'],
    [{ runtime: ["grace_kill_ignore_patterns = ['(?<=a+)(?(1)b)']"] }, 'python-regex: runtime.grace_kill_ignore_patterns[0]'],
    [{ runtime: ['log_dir = "~bob/logs"'] }, 'path: runtime.log_dir'],
    [{ runtime: ['restart_delay_s = true'] }, 'value: runtime.restart_delay_s'],
    [{ vcs: ['dirty_action = "commit"'] }, 'value: vcs.dirty_action'],
    [{ phases: ['list = ["a"]'], 'phases.b': ['round_timeout_s = 1'] }, 'value: phases.b'],
  ])('%j', (changes, item) => {
    expect(left(changes)).toEqual([item]);
  });

  it('is told with its line and a remedy, and does not keep the rest from being done', () => {
    const text = fileWith({ agent: ['command = "claude"'], runtime: ['dry_run = "no"'], vcs: ['orphan_action = "stash"'] });
    const { applied, manual } = migrate(text);
    expect(applied.map(({ key }) => key)).toEqual(['agent.command', 'vcs.orphan_action', 'schema_version']);
    expect(manual).toEqual([
      {
        id: 'value',
        since: '0.2.13',
        key: 'runtime.dry_run',
        line: text.split('\n').indexOf('dry_run = "no"') + 3,
        message: 'found text "no"; accepted: true or false',
        remedy: 'docs/configuration.md says what each key takes.',
      },
    ]);
  });

  it('start-up checks of a container prefix are asked once the file itself is accepted', () => {
    const problem = { key: 'agent.exec_prefix', message: 'no -i', remedy: 'Add -i.', advice: false };
    const text = fileWith();
    expect(migrateText(text, AT, () => [problem]).manual).toMatchObject([{ id: 'container-prefix', ...{ key: problem.key } }]);
    expect(migrateText(text, AT, () => [{ ...problem, advice: true }])).toMatchObject({ manual: [], advice: [{ message: 'no -i' }] });
    expect(migrateText(fileWith({ vcs: ['x = 1'] }), AT, () => [problem]).manual).toMatchObject([{ id: 'unknown-key' }]);
  });
});

describe('the file as a whole', () => {
  it('line endings, indentation and a missing last line ending stay', () => {
    const text = fileWith({ agent: ['\tcommand = "claude"\t# x'], 'monitor.host_health.disk': ['  warning_pct = 80'] }).replaceAll(
      '\n',
      '\r\n',
    );
    const migrated = migrate(text).text;
    expect(migrated).not.toMatch(/[^\r]\n/);
    expect(migrated).toContain('\r\n\tcommand = ["claude"]\t# x\r\n');
    expect(migrated).toMatch(/\r\n {2}disk_warning_pct = 80$/);
  });

  it('a byte order mark, which nobody accepts, is taken away', () => {
    const { text, applied } = migrate(`\uFEFF${fileWith()}`);
    expect(applied.map(({ id }) => id)).toEqual(['byte-order-mark', 'schema-version']);
    expect(text).toBe(`schema_version = 1\n\n${fileWith()}`);
  });

  it('a text that is no TOML is refused like anywhere else', () => {
    expect(() => migrate('[agent\n')).toThrow(/not valid TOML/);
    expect(() => migrate('a = 1\na = 2\n')).toThrow(/second time/);
  });

  it('reference case 22: two steps of which the second is possible only after the first', () => {
    const migration = fixed({ 'monitor.host_health.pressure': ['in_round_nudge = false # never'], 'monitor.host_health.disk': [] });
    expect(done(migration)).toEqual([
      'host-health-without-counterpart: monitor.host_health.pressure.in_round_nudge',
      'host-health-groups: monitor.host_health.disk',
      'host-health-groups: monitor.host_health.pressure',
      'schema-version: schema_version',
    ]);
  });
});
