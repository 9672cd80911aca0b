import fc from 'fast-check';
import { parse } from 'smol-toml';
import { expect, it } from 'vitest';
import { parseConfig } from '../../../../src/config/load.ts';
import { migrateText } from '../../../../src/config/migrate/migrate.ts';
import { readSyntax } from '../../../../src/config/migrate/syntax.ts';
import { ConfigProblems } from '../../../../src/config/problems.ts';
import { AT } from '../sample.ts';

/** Keys of version 0.2.21 with values that it accepts, by table. */
const VALID: Record<string, Record<string, readonly string[]>> = {
  agent: { name: ['"night"'], env: ['{ A = "1", B = 2 }'], sigterm_grace_s: ['3'], exec_prefix: ['[]', '["nice", "-n", "5"]'] },
  runtime: {
    round_timeout_s: ['60', '3_600'],
    restart_delay_s: ['1'],
    disable_pre_round_hooks: ['true', 'false'],
    round_log_retention: ['0', '100'],
    transient_error_action: ['"skip"', "'back_off'"],
    max_rounds: ['12'],
    stop_file: ['"STOP"'],
    fresh_eyes_every_n: ['8'],
    grace_kill_ignore_patterns: ["['(?i)helper']", '[]'],
    max_grace_after_result_s: ['120'],
  },
  prompt: { inject_context: ['false'], context_injection_mode: ['"file"'], concat_separator: ['"\\n"', '"""\n\n"""'] },
  vcs: { dirty_action: ['"ignore"'], stash_idempotency_s: ['9'] },
  schedule: { timezone: ['"Europe/Zurich"'], run_windows: ['["22:00-06:00"]', '[\n  "Sat 00:00-24:00", # all day\n]'] },
  monitor: { auth_fail_hint: ['"log in"'], auto_stop_on: ['["disk_critical"]'], remote_failure_tolerance_s: ['0'] },
  'monitor.host_health': { mem_avail_min_mb: ['120'], disk_warning_pct: ['85.5'], in_round_mem_terminate: ['false'] },
  'phases.build': { round_timeout_s: ['5'], 'prompt.files': ['["b.md"]', '[]'] },
  plugins: { disable: ['["kimi"]'] },
};

/** What other versions had, each fixable: `[table, line]`. */
const OLD: readonly (readonly [table: string, line: string])[] = [
  ['runtime', 'rate_limit_action = "back_off"'],
  ['runtime', 'round_timeout_per_phase = { build = 60 }'],
  ['vcs', 'orphan_action = "stash"'],
  ['monitor.host_health.memory', 'avail_min_mb = 100'],
  ['monitor.host_health.disk', 'critical_pct = 97'],
  ['monitor.host_health.pressure', 'some_avg10_warning = 4.5'],
  ['monitor.host_health.pressure', 'in_round_nudge = false'],
  ['monitor.host_health.brake', 'memory_high = false'],
  ['goal', 'ledger = "goal.md"'],
  ['phases', 'list = "build"'],
  ['schedule', 'pause_windows = "03:00-04:00"'],
];

const comment = fc.constantFrom('', '', '', '# why', '#é 😀', '# [agent] x = "1"');
const blank = fc.constantFrom('', '', '\n', '\n\n', '# a paragraph\n', '\n# above\n');
const indent = fc.constantFrom('', '', '  ', '\t');

interface Line {
  table: string;
  text: string;
}

/** A whole file from some of these lines: tables in any order, each line with its own indentation, comments and gaps. */
function fileOf(lines: fc.Arbitrary<readonly Line[]>): fc.Arbitrary<string> {
  const base: Line[] = [
    { table: 'agent', text: 'command = ["claude"]' },
    { table: 'agent', text: 'prompt_arg_template = ["{prompt}"]' },
    { table: 'runtime', text: 'work_dir = "."' },
    { table: 'runtime', text: 'log_dir = "/l"' },
    { table: 'prompt', text: 'file = "p.md"' },
  ];
  return lines
    .chain((some) =>
      fc.tuple(fc.shuffledSubarray([...base, ...some], { minLength: base.length + some.length }), fc.gen(), fc.constantFrom('\n', '\r\n')),
    )
    .map(([all, gen, eol]) => {
      const tables = new Map<string, string[]>();
      const needsList =
        all.some(({ table, text }) => table === 'phases.build' || text.includes('per_phase')) &&
        !all.some(({ text }) => text.startsWith('list'));
      for (const { table, text } of needsList ? [...all, { table: 'phases', text: 'list = ["build"]' }] : all)
        tables.set(table, [...(tables.get(table) ?? []), text]);
      const parts = [...tables].map(([table, texts]) => {
        const body = texts.map((text) => `${gen(() => blank)}${gen(() => indent)}${text} ${gen(() => comment)}\n`);
        return `${gen(() => blank)}${gen(() => indent)}[${table}] ${gen(() => comment)}\n${body.join('')}`;
      });
      return parts.join('').replaceAll('\n', eol);
    });
}

const validLines = fc
  .subarray(Object.entries(VALID).flatMap(([table, keys]) => Object.entries(keys).map(([key, values]) => ({ table, key, values }))))
  .chain((keys) =>
    fc.tuple(
      ...keys.map(({ table, key, values }) => fc.constantFrom(...values).map((value): Line => ({ table, text: `${key} = ${value}` }))),
    ),
  );
const oldLines = fc.subarray([...OLD], { minLength: 1 }).map((lines) => lines.map(([table, text]): Line => ({ table, text })));

function commentsOf(text: string): string[] {
  const syntax = readSyntax(text);
  if (syntax === null) throw new Error(`not readable: ${text}`);
  return syntax.comments.map(([start, end]) => text.slice(start, end));
}

it('any file of version 0.2.21 stays as it is, byte for byte', () => {
  fc.assert(
    fc.property(fileOf(validLines), (text) => {
      expect(() => parseConfig(text, AT)).not.toThrow();
      expect(migrateText(text, AT)).toMatchObject({ text, applied: [], manual: [] });
    }),
    { numRuns: 100 },
  );
});

it('a file of another version is accepted afterwards, keeps its comments and line endings, and a second run changes nothing', () => {
  fc.assert(
    fc.property(fileOf(oldLines), (text) => {
      const { text: migrated, manual, applied } = migrateText(text, AT);
      expect(manual).toEqual([]);
      expect(applied.length).toBeGreaterThan(0);
      expect(() => parseConfig(migrated, AT)).not.toThrow();
      expect(migrateText(migrated, AT)).toMatchObject({ text: migrated, applied: [], manual: [] });
      const after = commentsOf(migrated).sort((a, b) => a.length - b.length);
      for (const comment of commentsOf(text).sort((a, b) => b.length - a.length)) {
        const at = after.findIndex((own) => own.includes(comment));
        expect(at, `${comment} in ${migrated}`).not.toBe(-1);
        after.splice(at, 1);
      }
      if (text.includes('\r\n')) expect(migrated).not.toMatch(/[^\r]\n/);
      else expect(migrated).not.toContain('\r');
    }),
    { numRuns: 100 },
  );
});

it('keys of both kinds together: never a lost value, never a new problem, always a fixpoint', () => {
  const mixed = fc.tuple(validLines, oldLines).map(([valid, old]) => [...valid, ...old]);
  fc.assert(
    fc.property(fileOf(mixed), (text) => {
      const before = problemCount(text);
      const once = migrateText(text, AT);
      expect(problemCount(once.text)).toBeLessThanOrEqual(before);
      expect(migrateText(once.text, AT)).toMatchObject({ text: once.text, applied: [] });
      // Whatever was neither moved nor made a comment says the same as before.
      const { agent, prompt } = parse(text) as Record<string, unknown>;
      expect(parse(once.text)).toMatchObject({ agent, prompt });
      if (once.manual.length === 0) expect(problemCount(once.text)).toBe(0);
      else expect(problemCount(once.text)).toBeGreaterThan(0);
    }),
    { numRuns: 50 },
  );
});

it('any text is migrated or refused, and nothing else', () => {
  fc.assert(
    fc.property(fileOf(oldLines), fc.nat(400), fc.nat(400), fc.string({ maxLength: 5 }), (text, from, to, between) => {
      const torn = text.slice(0, from) + between + text.slice(to);
      try {
        const once = migrateText(torn, AT);
        expect(migrateText(once.text, AT).text).toBe(once.text);
      } catch (error) {
        if (!(error instanceof ConfigProblems)) throw error;
      }
    }),
    { numRuns: 300 },
  );
});

function problemCount(text: string): number {
  try {
    parseConfig(text, AT);
    return 0;
  } catch (error) {
    if (error instanceof ConfigProblems) return error.problems.length;
    throw error;
  }
}
