import { readFileSync } from 'node:fs';
import { globSync } from 'tinyglobby';
import { describe, expect, it } from 'vitest';
import { CATALOGUE } from '../../src/events/catalogue.ts';

const root = new URL('../../', import.meta.url).pathname;

/** Kinds that the code writes: `emit('x'`, an event handed on as `event: 'x'` or `kind: 'x'`, and the writer's own line. */
function emittedKinds(): Set<string> {
  const files = globSync(['src/**/*.ts', '!src/events/kinds/**', '!src/observe/**'], { cwd: root, absolute: true });
  const calls = files.flatMap((path) => [
    ...readFileSync(path, 'utf8').matchAll(/(?:\b(?:emit|eventLine)\(|\b(?:event|kind):)\s*'([a-z_]+)'/g),
  ]);
  return new Set(calls.map((match) => match[1] ?? ''));
}

describe('every event kind', () => {
  it('is written by the code, or says in the catalogue that it is not (yet)', () => {
    const emitted = emittedKinds();
    const wrong = Object.entries(CATALOGUE).filter(([kind, entry]) => (entry.emitted === 'now') !== emitted.has(kind));
    expect(wrong.map(([kind, entry]) => `${kind}: '${entry.emitted}' but ${emitted.has(kind) ? 'written' : 'not written'}`)).toEqual([]);
  });
});
