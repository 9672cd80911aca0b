import fc from 'fast-check';
import { parse, stringify } from 'smol-toml';
import { expect, it } from 'vitest';
import { changedKeys } from '../../../src/config/changed-keys.ts';
import { parseConfig } from '../../../src/config/load.ts';
import { ConfigProblems } from '../../../src/config/problems.ts';
import { translatePythonRegex } from '../../../src/config/python-regex.ts';
import { configTable } from '../../../src/config/schema.ts';
import { everyKeyOf } from '../../../src/config/schema-walk.ts';
import { AT, fileWith } from './sample.ts';

/** Nothing but a configuration or ConfigProblems may come out; every problem is whole. */
function check(text: string): void {
  try {
    const { config, warnings } = parseConfig(text, AT);
    expect(config.runtime.work_dir.startsWith('/')).toBe(true);
    for (const warning of warnings) expect(warning.message).not.toContain('\n');
  } catch (error) {
    if (!(error instanceof ConfigProblems)) throw error;
    expect(error.problems.length).toBeGreaterThan(0);
    for (const { code, line, column, message, remedy } of error.problems) {
      expect(code).toMatch(/^AR-CFG-\d{3}$/);
      expect(Math.min(line, column)).toBeGreaterThan(0);
      expect(message).not.toMatch(/[\n\r]/);
      expect(remedy).not.toBe('');
    }
  }
}

const scalar = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.integer(),
  fc.double(),
  fc.boolean(),
  fc.date({ noInvalidDate: true, min: new Date('0001-01-01'), max: new Date('9999-12-31') }),
  fc.constantFrom('{prompt}', '~/x', '(?i)a', '(?P<n>x)', '.', 'claude', 'argv', 'Europe/Zurich'),
);
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 3 },
    scalar,
    fc.array(tie('any'), { maxLength: 3 }),
    fc.dictionary(fc.string({ maxLength: 6 }), tie('any'), { maxKeys: 3 }),
  ),
})).any;
const knownKey = fc.constantFrom(...everyKeyOf(configTable).map(({ path }) => path.map((step) => (step === '<name>' ? 'build' : step))));

it('any bytes give ConfigProblems or a configuration, never another error', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 200 }), check), { numRuns: 2000 });
});

it('any value at any key of a good file gives ConfigProblems or a configuration', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(knownKey, value), { minLength: 1, maxLength: 4 }), (changes) => {
      const document = parse(fileWith()) as Record<string, unknown>;
      for (const [path, changed] of changes) put(document, path, changed);
      check(stringify(document));
    }),
    { numRuns: 2000 },
  );
});

it('a good file with a piece cut out or torn in gives ConfigProblems or a configuration', () => {
  const good = fileWith({ phases: ['list = ["build"]'], 'phases.build.agent': ['preset = "codex"'], vcs: ['dirty_action = "ignore"'] });
  const place = fc.nat(good.length);
  fc.assert(
    fc.property(place, place, fc.string({ maxLength: 6 }), (from, to, between) => check(good.slice(0, from) + between + good.slice(to))),
    { numRuns: 2000 },
  );
});

it('any pattern is translated or refused, in one line', () => {
  const piece = fc.constantFrom(
    '(?P<n>',
    '(?P=n)',
    '(?i)',
    '(?:',
    ')',
    '[',
    ']',
    '{',
    '}',
    ',',
    '2',
    '\\',
    '*',
    '+',
    '?',
    '.',
    '^',
    '$',
    '|',
    '-',
    'a',
    'Z',
    'é',
    '\n',
    '😀',
  );
  const pattern = fc.oneof(
    fc.array(piece, { maxLength: 12 }).map((parts) => parts.join('')),
    fc.string({ unit: 'binary' }),
  );
  fc.assert(
    fc.property(pattern, (source) => {
      const result = translatePythonRegex(source, { ignoreCase: false });
      if ('problem' in result) expect(result.problem).not.toContain('\n');
    }),
    { numRuns: 5000 },
  );
});

it('changed keys: none for the same document however it is written, the changed one otherwise', () => {
  fc.assert(
    fc.property(knownKey, fc.integer(), fc.integer(), (path, a, b) => {
      const before = stringify(put({}, path, a));
      const after = stringify(put({}, path, b));
      expect(changedKeys(before, `# comment\n${before}`)).toEqual([]);
      expect(changedKeys(before, after)).toEqual(a === b ? [] : [path.join('.')]);
    }),
  );
});

function put(document: Record<string, unknown>, path: readonly string[], changed: unknown): Record<string, unknown> {
  const [step = '', ...rest] = path;
  const below = document[step];
  const table = typeof below === 'object' && below !== null && !Array.isArray(below) && !(below instanceof Date) ? below : {};
  document[step] = rest.length === 0 ? changed : put(table as Record<string, unknown>, rest, changed);
  return document;
}
