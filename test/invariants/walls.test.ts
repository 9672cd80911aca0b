import { expect, test } from 'vitest';
import { type Source, sources } from '../support/sources.ts';

const SRC = sources('src');
const CODE = SRC.filter(({ path }) => path.endsWith('.ts'));

/** `path: what` for every file in which `find` finds something. */
function found(files: readonly Source[], find: (file: Source) => string[]): string[] {
  return files.flatMap((file) => find(file).map((what) => `${file.path}: ${what}`));
}

test('processes are started in run/ and process/command.ts alone', () => {
  const doors = ['node:child_process', 'child_process', 'execa', 'node:cluster', 'node:worker_threads'];
  const others = CODE.filter(({ path }) => !path.startsWith('src/run/') && path !== 'src/process/command.ts');
  expect(
    found(others, ({ imports }) =>
      imports.filter(({ specifier, kind }) => kind !== 'type' && doors.includes(specifier)).map(({ specifier }) => specifier),
    ),
  ).toEqual([]);
});

test('only util/clock.ts asks for the time', () => {
  const asking = /\bDate\.now\b|\bnew Date\(\s*\)|\bperformance\.now\b|\bprocess\.hrtime\b|\bDate\(\s*\)/g;
  const others = CODE.filter(({ path }) => path !== 'src/util/clock.ts');
  expect(found(others, ({ code }) => code.match(asking) ?? [])).toEqual([]);
});

test('AbortSignal.any, which leaves a reference on its sources for ever, is only for those that end with the round', () => {
  const others = CODE.filter(({ path }) => path !== 'src/round/guard-host.ts');
  expect(found(others, ({ code }) => code.match(/\bAbortSignal\.any\b/g) ?? [])).toEqual([]);
});

test('no file imports itself over others: what is loaded together has no circle', () => {
  const graph = new Map(
    CODE.map(({ path, imports }) => [path, imports.filter(({ kind }) => kind === 'static').flatMap(({ file }) => file ?? [])]),
  );
  expect(circles(graph)).toEqual([]);
});

/** Each circle once, as `a -> b -> a`. */
function circles(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const state = new Map<string, 'open' | 'done'>();
  const trail: string[] = [];
  const result: string[] = [];
  const visit = (file: string) => {
    if (state.get(file) === 'done') return;
    if (state.get(file) === 'open') {
      result.push([...trail.slice(trail.indexOf(file)), file].join(' -> '));
      return;
    }
    state.set(file, 'open');
    trail.push(file);
    for (const next of graph.get(file) ?? []) visit(next);
    trail.pop();
    state.set(file, 'done');
  };
  for (const file of graph.keys()) visit(file);
  return result;
}

test('the circle finder finds circles', () => {
  expect(
    circles(
      new Map([
        ['a', ['b']],
        ['b', ['c', 'd']],
        ['c', ['a']],
        ['d', []],
      ]),
    ),
  ).toEqual(['a -> b -> c -> a']);
});

/**
 * Which rooms a room may load from. Arrows point down only; a type may be looked at from anywhere below `cli`, since it is gone when
 * the program runs.
 */
const ARROWS: Record<string, readonly string[]> = {
  cli: [
    'budget',
    'serve',
    'doctor',
    'drill',
    'observe',
    'service',
    'round',
    'hooks',
    'run',
    'container',
    'agents',
    'git',
    'host',
    'config',
    'events',
    'state',
    'process',
    'util',
  ],
  serve: [
    'budget',
    'round',
    'hooks',
    'run',
    'container',
    'agents',
    'git',
    'host',
    'config',
    'schedule',
    'events',
    'state',
    'process',
    'util',
  ],
  drill: ['git', 'config', 'events', 'state', 'process', 'util'],
  doctor: ['budget', 'service', 'round', 'hooks', 'container', 'agents', 'git', 'host', 'config', 'schedule', 'state', 'process', 'util'],
  observe: ['budget', 'service', 'git', 'config', 'events', 'state', 'process', 'util'],
  service: ['round', 'hooks', 'run', 'config', 'events', 'state', 'process', 'util'],
  round: ['hooks', 'run', 'container', 'agents', 'git', 'host', 'config', 'events', 'state', 'process', 'util'],
  hooks: ['run', 'config', 'events', 'state', 'process', 'util'],
  run: ['process', 'util'],
  container: ['process', 'util'],
  agents: ['config', 'util'],
  git: ['process', 'state', 'events', 'util'],
  host: ['process', 'events', 'state', 'util'],
  budget: ['events', 'state', 'util'],
  config: ['schedule', 'events', 'state', 'process', 'util'],
  events: ['state', 'process', 'util'],
  state: ['process', 'util'],
  process: ['util'],
  schedule: ['util'],
  util: [],
};

const roomOf = (path: string) => path.split('/')[1] ?? '';

test('arrows between rooms point down', () => {
  const wrong = found(CODE, ({ path, imports }) =>
    imports
      .filter(({ file, kind }) => file?.startsWith('src/') && kind !== 'type' && roomOf(file) !== roomOf(path))
      .filter(({ file }) => !ARROWS[roomOf(path)]?.includes(roomOf(file ?? '')))
      .map(({ specifier }) => specifier),
  );
  expect(wrong).toEqual([]);
});

test('every room is on the map', () => {
  expect([...new Set(CODE.map(({ path }) => roomOf(path)))].filter((room) => !(room in ARROWS))).toEqual([]);
});

test('what peek loads is light: no zod, no execa, no pino, no systeminformation', () => {
  const heavy = ['zod', 'execa', 'pino', 'pino-pretty', 'systeminformation', 'pidusage', 'cli-table3', 'toml-eslint-parser'];
  const byPath = new Map(CODE.map((file) => [file.path, file]));
  const seen = new Set<string>();
  const load = (path: string): void => {
    if (seen.has(path)) return;
    seen.add(path);
    for (const { file, kind } of byPath.get(path)?.imports ?? []) if (file !== null && kind === 'static') load(file);
  };
  for (const entry of ['src/cli/main.ts', 'src/cli/run.ts', 'src/cli/peek.ts']) load(entry);
  const loaded = CODE.filter(({ path }) => seen.has(path));
  expect(loaded.length).toBeGreaterThan(10);
  expect(
    found(loaded, ({ imports }) =>
      imports.filter(({ specifier, kind }) => kind === 'static' && heavy.includes(specifier)).map(({ specifier }) => specifier),
    ),
  ).toEqual([]);
});

test('--version loads next to nothing', () => {
  const main = CODE.find(({ path }) => path === 'src/cli/main.ts');
  expect(main?.imports.filter(({ kind }) => kind === 'static').map(({ specifier }) => specifier)).toEqual(['../util/package.ts']);
});

test('files are short: none over 400 lines, nine of ten under 250, the median under 80', () => {
  const lengths = CODE.map(({ lines }) => lines).sort((a, b) => a - b);
  expect(found(CODE, ({ lines }) => (lines > 400 ? [`${lines} lines`] : []))).toEqual([]);
  expect(lengths[Math.floor(lengths.length * 0.9)]).toBeLessThan(250);
  expect(lengths[Math.floor(lengths.length / 2)]).toBeLessThan(80);
});

test('imports name the file: .ts, node: for what Node brings', () => {
  expect(
    found(CODE, ({ imports }) =>
      imports
        .filter(({ specifier, file }) =>
          file !== null ? !/\.(ts|mjs|json)$/.test(specifier) : /^(fs|path|os|url|util|crypto)$/.test(specifier),
        )
        .map(({ specifier }) => specifier),
    ),
  ).toEqual([]);
});
