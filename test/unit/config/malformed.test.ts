import { expect, it } from 'vitest';
import { ConfigProblems } from '../../../src/config/problems.ts';
import { AT, fileWith, problemsOf } from './sample.ts';

/** table, line, key that is told, code, a part of the message. Each file is good but for that line. */
const LINES: [table: string, line: string, key: string, code: string, words: string][] = [
  ['', 'schema_version = true', 'schema_version', 'AR-CFG-011', 'found true; accepted: 1'],
  ['', 'schema_version = 2', 'schema_version', 'AR-CFG-011', 'found 2; accepted: 1'],
  ['', 'schema_version = "1"', 'schema_version', 'AR-CFG-011', 'found text "1"'],
  ['', 'agnt = 1', 'agnt', 'AR-CFG-010', 'not a known key'],
  ['agent', 'command = "claude"', 'agent.command', 'AR-CFG-011', 'found text "claude"; accepted: a list of texts, the program first'],
  ['agent', 'command = []', 'agent.command', 'AR-CFG-011', 'found an empty list'],
  ['agent', 'command = [""]', 'agent.command[0]', 'AR-CFG-011', 'found text ""'],
  ['agent', 'command = ["claude", 3]', 'agent.command[1]', 'AR-CFG-011', 'found 3'],
  ['agent', 'command = ["claude", "a\\u0000b"]', 'agent.command[1]', 'AR-CFG-011', 'text without NUL'],
  ['agent', 'comand = ["claude"]', 'agent.comand', 'AR-CFG-010', 'not a known key'],
  ['agent', 'name = 7', 'agent.name', 'AR-CFG-011', 'found 7; accepted: a text'],
  ['agent', 'preset = "clade"', 'agent.preset', 'AR-CFG-022', 'accepted: "claude", "codex", "gemini"'],
  ['agent', 'env = "x"', 'agent.env', 'AR-CFG-011', 'accepted: a table of NAME = "text"'],
  ['agent', 'env = { TOKEN = ["very secret"] }', 'agent.env.TOKEN', 'AR-CFG-011', 'found a list'],
  ['agent', 'env = { "A=B" = "x" }', 'agent.env."A=B"', 'AR-CFG-011', 'no name for an environment variable'],
  ['agent', 'prompt_delivery = "pipe"', 'agent.prompt_delivery', 'AR-CFG-011', 'accepted: "argv" or "stdin"'],
  ['agent', 'prompt_delivery = "argv"', 'agent.prompt_arg_template', 'AR-CFG-019', 'no item contains {prompt}'],
  ['agent', 'prompt_arg_template = ["-p", "{prompt}"]', 'agent.prompt_arg_template[1]', 'AR-CFG-019', 'contains {prompt}'],
  ['agent', 'exec_prefix = "docker run"', 'agent.exec_prefix', 'AR-CFG-011', 'a list of texts'],
  ['agent', 'sigterm_grace_s = 1.5', 'agent.sigterm_grace_s', 'AR-CFG-011', 'found 1.5; accepted: a whole number'],
  ['agent', 'env_file = "a\\nb"', 'agent.env_file', 'AR-CFG-018', 'U+000A'],
  ['runtime', 'work_dir = ["."]', 'runtime.work_dir', 'AR-CFG-011', 'found a list; accepted: a path'],
  ['runtime', 'work_dir = "a\\nExecStartPre=/bin/sh"', 'runtime.work_dir', 'AR-CFG-018', 'U+000A'],
  ['runtime', 'log_dir = "a\\u0000b"', 'runtime.log_dir', 'AR-CFG-018', 'U+0000'],
  ['runtime', 'log_dir = ""', 'runtime.log_dir', 'AR-CFG-018', 'is empty'],
  ['runtime', 'log_dir = "~bob/logs"', 'runtime.log_dir', 'AR-CFG-018', "somebody else's home"],
  ['runtime', 'round_timeout_s = 0', 'runtime.round_timeout_s', 'AR-CFG-011', 'found 0; accepted: a whole number, 1 or more'],
  ['runtime', 'round_timeout_s = true', 'runtime.round_timeout_s', 'AR-CFG-011', 'found true'],
  ['runtime', 'round_timeout_s = inf', 'runtime.round_timeout_s', 'AR-CFG-011', 'found inf'],
  ['runtime', 'round_timeout_s = 99999999999', 'runtime.round_timeout_s', 'AR-CFG-011', 'found 99999999999'],
  ['runtime', 'restart_delay_s = "3"', 'runtime.restart_delay_s', 'AR-CFG-011', 'found text "3"'],
  ['runtime', 'restart_dely_s = 3', 'runtime.restart_dely_s', 'AR-CFG-010', 'not a known key'],
  ['runtime', 'disable_pre_round_hooks = 0', 'runtime.disable_pre_round_hooks', 'AR-CFG-011', 'found 0; accepted: true or false'],
  ['runtime', 'round_log_retention = -1', 'runtime.round_log_retention', 'AR-CFG-011', 'found -1'],
  ['runtime', 'transient_error_action = "backoff"', 'runtime.transient_error_action', 'AR-CFG-011', '"back_off", "skip" or "stop"'],
  ['runtime', 'rate_limit_action = "stop"', 'runtime.rate_limit_action', 'AR-CFG-013', 'transient_error_action'],
  ['runtime', 'round_timeout_per_phase = {}', 'runtime.round_timeout_per_phase', 'AR-CFG-013', 'each phase has its own table'],
  ['runtime', 'max_rounds = false', 'runtime.max_rounds', 'AR-CFG-011', 'found false'],
  ['runtime', 'stop_file = 1979-05-27', 'runtime.stop_file', 'AR-CFG-011', 'found a date'],
  ['runtime', 'substrate_fingerprint_paths = "src"', 'runtime.substrate_fingerprint_paths', 'AR-CFG-011', 'found text "src"'],
  ['runtime', 'grace_kill_ignore_patterns = ["(a"]', 'runtime.grace_kill_ignore_patterns[0]', 'AR-CFG-017', 'unterminated group'],
  ['runtime', "grace_kill_ignore_patterns = ['(?x) a b']", 'runtime.grace_kill_ignore_patterns[0]', 'AR-CFG-017', 'verbose mode'],
  ['runtime', "grace_kill_ignore_patterns = ['a(?i)b']", 'runtime.grace_kill_ignore_patterns[0]', 'AR-CFG-017', 'at the very start'],
  ['runtime', "grace_kill_ignore_patterns = ['a++']", 'runtime.grace_kill_ignore_patterns[0]', 'AR-CFG-017', 'possessive'],
  ['runtime', 'grace_kill_ignore_patterns = [3]', 'runtime.grace_kill_ignore_patterns[0]', 'AR-CFG-011', 'found 3; accepted: text'],
  ['runtime', 'pid_namespace = "yes"', 'runtime.pid_namespace', 'AR-CFG-011', 'found text "yes"'],
  ['runtime', 'dirty_action = "stash"', 'runtime.dirty_action', 'AR-CFG-010', 'not a known key'],
  ['prompt', 'files = ["a.md"]', 'prompt.files', 'AR-CFG-016', 'together with prompt.file'],
  ['prompt', 'file = 3', 'prompt.file', 'AR-CFG-011', 'found 3; accepted: a path'],
  ['prompt', 'inject_context = "yes"', 'prompt.inject_context', 'AR-CFG-011', 'found text "yes"'],
  ['prompt', 'context_injection_mode = "append"', 'prompt.context_injection_mode', 'AR-CFG-011', '"prepend", "file" or "none"'],
  ['prompt', 'concat_separator = 1', 'prompt.concat_separator', 'AR-CFG-011', 'found 1; accepted: text'],
  ['prompt', 'strip_frontmatter = true', 'prompt.strip_frontmatter', 'AR-CFG-010', 'not a known key'],
  ['vcs', 'dirty_action = "autocommit"', 'vcs.dirty_action', 'AR-CFG-011', '"stash", "ignore" or "auto_commit"'],
  ['vcs', 'orphan_action = "stash"', 'vcs.orphan_action', 'AR-CFG-013', 'dirty_action'],
  ['vcs', 'stash_idempotency_s = 0', 'vcs.stash_idempotency_s', 'AR-CFG-011', 'found 0'],
  ['phases', 'list = "build"', 'phases.list', 'AR-CFG-011', 'found text "build"; accepted: a list of names'],
  ['phases', 'phase_polcy = "wait"', 'phases.phase_polcy', 'AR-CFG-010', 'not a known key'],
  ['phases.build', 'round_timeout_s = 5', 'phases.build', 'AR-CFG-020', 'there is no phases.list'],
  ['schedule', 'timezone = "Europe/Zurick"', 'schedule.timezone', 'AR-CFG-011', 'IANA time zone'],
  ['schedule', 'run_windows = "22:00-06:00"', 'schedule.run_windows', 'AR-CFG-011', 'a list of windows'],
  ['schedule', 'run_windows = ["Fri-Mon 22:00-06:00"]', 'schedule.run_windows[0]', 'AR-CFG-050', 'backwards'],
  ['schedule', 'pause_windows = ["22:00-23:00", "9:00-17:00"]', 'schedule.pause_windows[1]', 'AR-CFG-050', '"9:00"'],
  ['schedule', 'cron = "0 0 30 2 *"', 'schedule.cron', 'AR-CFG-051', 'impossible day'],
  ['schedule', 'cron = ["0 22 * * *", "* *"]', 'schedule.cron[1]', 'AR-CFG-051', 'expected 5 or 6 fields'],
  ['schedule', 'cron = 5', 'schedule.cron', 'AR-CFG-011', 'a cron expression, or a list'],
  ['schedule', 'pause_windows = ["00:00-24:00"]', 'schedule.pause_windows', 'AR-CFG-052', 'no round would ever start'],
  ['monitor', 'auth_fail_paterns = []', 'monitor.auth_fail_paterns', 'AR-CFG-010', 'not a known key'],
  ['monitor', 'remote_failure_tolerance_s = 3601', 'monitor.remote_failure_tolerance_s', 'AR-CFG-011', 'from 0 to 3600'],
  [
    'monitor',
    'anomaly_repetitive_threshold = 3',
    'monitor.anomaly_repetitive_threshold',
    'AR-CFG-011',
    'at most anomaly_repetitive_window',
  ],
  ['monitor.host_health', 'disk_warning_pct = nan', 'monitor.host_health.disk_warning_pct', 'AR-CFG-011', 'found nan'],
  ['monitor.host_health', 'disk_critical_pct = 101', 'monitor.host_health.disk_critical_pct', 'AR-CFG-011', 'a number from 0 to 100'],
  ['monitor.host_health', 'psi_full_avg10_critical = 0.0', 'monitor.host_health.psi_full_avg10_critical', 'AR-CFG-011', 'above 0'],
  ['monitor.host_health', 'mem_avail_min_mb = true', 'monitor.host_health.mem_avail_min_mb', 'AR-CFG-011', 'found true'],
  ['monitor.host_health', 'mem_avail_min = 1', 'monitor.host_health.mem_avail_min', 'AR-CFG-010', 'not a known key'],
  ['monitor.host_health', 'memory = { avail_min_mb = 1 }', 'monitor.host_health.memory', 'AR-CFG-013', 'here they are flat'],
  ['limits', 'max_rounds_per_hour = 0', 'limits.max_rounds_per_hour', 'AR-CFG-011', 'found 0'],
  ['limits', 'max_cost_usd_total = -4', 'limits.max_cost_usd_total', 'AR-CFG-011', 'a number above 0'],
  ['limits', 'max_cost_usd_total = nan', 'limits.max_cost_usd_total', 'AR-CFG-011', 'found nan'],
  ['limits', 'round_memory_max_mb = 0', 'limits.round_memory_max_mb', 'AR-CFG-011', 'found 0'],
  ['sandbox', 'engine = "docker"', 'sandbox', 'AR-CFG-014', 'sandboxes'],
  ['pipeline', 'file = "p.yml"', 'pipeline', 'AR-CFG-014', 'gated pipelines'],
  ['agent', 'fallback = { command = ["codex"] }', 'agent.fallback', 'AR-CFG-011', 'a list of tables'],
  ['notify', 'command = "ntfy"', 'notify.command', 'AR-CFG-011', 'found text "ntfy"'],
  ['hooks', 'pre_round = ["make"]', 'hooks.pre_round[0]', 'AR-CFG-011', 'found text "make"'],
  ['plugins', 'disable = "all"', 'plugins.disable', 'AR-CFG-011', 'a list of texts'],
  ['goal', 'ledger = "x.md"', 'goal', 'AR-CFG-013', 'no goal checks'],
];

it.each(LINES)('reference case 21: [%s] %s', (table, line, key, code, words) => {
  const text = fileWith({ [table]: [line] });
  const problems = problemsOf(text);
  expect(problems.map(({ key, code }) => `${key} ${code}`)).toEqual([`${key} ${code}`]);
  expect(problems[0]?.message).toContain(words);
  expect(problems[0]?.message).not.toContain('\n');
  expect(problems[0]?.message).not.toContain('secret');
  expect(problems[0]?.remedy).not.toBe('');
  expect(problems[0]?.file).toBe(AT);
  // The line of the problem is the one that was written, or the header of its table.
  const told = text.split('\n')[(problems[0]?.line ?? 0) - 1];
  expect([line, `[${table}]`, `[${key}]`, 'prompt_arg_template = ["-p"]']).toContain(told);
});

it.each([
  ['agent', 'agent = 1'],
  ['runtime', 'runtime = ["."]'],
  ['prompt', 'prompt = "prompts/main.md"'],
  ['vcs', 'vcs = "stash"'],
  ['monitor', 'monitor = true'],
  ['schedule', 'schedule = "22:00-06:00"'],
  ['phases', 'phases = ["build"]'],
])('reference case 21: [%s] given as a scalar', (key, line) => {
  const text = fileWith({ '': [line] }).replaceAll(new RegExp(`^\\[${key}\\]\\n(?:[^[\\n].*\\n?)*`, 'gm'), '');
  expect(problemsOf(text).map(({ key, code, line }) => ({ key, code, line }))).toEqual([{ key, code: 'AR-CFG-011', line: 1 }]);
});

it('scar 66: a bare string for a list is told how to be a list', () => {
  const [problem] = problemsOf(fileWith({ agent: ['command = "claude"'] }));
  expect(problem?.remedy).toBe('Write it as a list, the program first: command = ["claude"]');
});

it.each([
  ['agent', 'command = "claude -p --model opus"', 'the program first: command = ["claude", "-p", "--model", "opus"]'],
  ['notify', 'command = "sh -c true"', 'the program first: command = ["sh", "-c", "true"]'],
  ['notify', `command = "cat | mail -s 'hey you' me"`, 'the program first: command = ["sh", "-c", "..."]'],
  ['agent', 'prompt_arg_template = "{prompt}"', 'Put it into brackets: prompt_arg_template = ["..."]'],
  ['hooks', 'pre_round = ["/x"]', 'Each command is a list of its own: pre_round = [["/x"]]'],
  ['hooks', 'pre_round = ["/x", "/y"]', 'Each command is a list of its own: pre_round = [["..."]]'],
  ['hooks', 'pre_round = "/x y"', 'Write it as a list of lists, the program first: pre_round = [["/x", "y"]]'],
])('a command that is no list is told how to be one: [%s] %s', (table, line, remedy) => {
  const problems = problemsOf(fileWith({ [table]: [line] }));
  expect(problems[0]?.remedy).toContain(remedy);
});

it('scar 67: a misspelt key is answered with the near one, or with the table that it belongs to', () => {
  const [near] = problemsOf(fileWith({ 'monitor.host_health': ['disk_warnig_pct = 80'] }));
  expect(near?.remedy).toBe('Did you mean monitor.host_health.disk_warning_pct?');
  const [elsewhere] = problemsOf(fileWith({ agent: ['round_timeout_s = 80'] }));
  expect(elsewhere?.remedy).toContain('Did you mean runtime.round_timeout_s?');
  const [table] = problemsOf(fileWith({}).replace('[prompt]', '[promt]'));
  expect(table).toMatchObject({ key: 'promt', remedy: 'Did you mean prompt?' });
});

it('tells all problems at once, in the order of the file, each with its place', () => {
  const text =
    '[agent]\ncomand = ["x"]\nprompt_arg_template = ["{prompt}"]\nname = 3\n[runtime]\nwork_dir = "."\nmax_rounds = [1,\n  2]\n[prompt]\n';
  const problems = problemsOf(text);
  expect(problems.map(({ line, column, key }) => `${line}:${column} ${key}`)).toEqual([
    '2:1 agent.comand',
    '4:8 agent.name',
    '5:2 runtime.log_dir',
    '7:14 runtime.max_rounds',
    '9:2 prompt.file',
  ]);
  const error = new ConfigProblems(problems as [(typeof problems)[0], ...typeof problems]);
  expect(error.exitCode).toBe(78);
  expect(error.message).toContain(`${AT} has 5 problems\n  ${AT}:2:1: agent.comand: is not a known key [AR-CFG-010]`);
});

it('finds the place of an item in a list of several lines, of a dotted key and of a quoted one', () => {
  const text = fileWith({ agent: ['command = [\n  "claude",\n  4,\n]', 'env."odd name" = []', "env.'x' = [\n]"] });
  expect(problemsOf(text).map(({ line, column, key }) => `${line}:${column} ${key}`)).toEqual([
    '6:3 agent.command[1]',
    '8:18 agent.env."odd name"',
    '9:11 agent.env.x',
  ]);
});

it.each(['%s = 1', '[%s]'])(
  'a key of a hundred thousand parts costs no more than its length: %s',
  (form) => {
    const long = form.replace('%s', `a${'.a'.repeat(100_000)}`);
    const text = form.startsWith('[') ? `${fileWith({})}\n${long}` : `${long}\n${fileWith({})}`;
    expect(problemsOf(text)).toMatchObject([{ key: 'a', code: 'AR-CFG-010' }]);
  },
  20_000,
);
