import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contextIn, DEEPEST_CONTEXT, MOST_CONTEXT_BYTES, mergeContext } from '../../../src/hooks/context.ts';

const nested = (depth: number): Record<string, unknown> => (depth === 0 ? {} : { in: nested(depth - 1) });

describe('what a hook printed', () => {
  it.each([
    ['nothing', '', { context: null }],
    ['white space', ' \n', { context: null }],
    ['an object without context', '{"other": 1}', { context: null }],
    ['a context', ' {"context": {"ci": "red"}}\n', { context: { ci: 'red' } }],
  ])('%s', (_what, text, found) => {
    expect(contextIn(text, false)).toEqual(found);
  });

  it.each(['done', '{"context":', '[1]', 'null', '7', '{"context": [1]}', '{"context": null}', '{} {}', '\0'])(
    '%j is a problem',
    (text) => {
      expect(contextIn(text, false)).toHaveProperty('problem');
    },
  );

  it('a part of the output is a problem whatever it is', () => {
    expect(contextIn('{"context": {}}', true)).toHaveProperty('problem');
  });
});

describe('the merge', () => {
  it('a later hook wins, key by key', () => {
    expect(mergeContext({ a: 1, b: { x: 1 } }, { b: { y: 2 } })).toEqual({ merged: { a: 1, b: { y: 2 } } });
  });

  it('refuses what is too deep or too large, by the sum', () => {
    expect(mergeContext({}, nested(DEEPEST_CONTEXT - 1))).toHaveProperty('merged');
    expect(mergeContext({}, nested(DEEPEST_CONTEXT))).toHaveProperty('problem');
    const half = 'x'.repeat(MOST_CONTEXT_BYTES / 2);
    expect(mergeContext({}, { half })).toHaveProperty('merged');
    expect(mergeContext({ half }, { other: half })).toHaveProperty('problem');
    expect(mergeContext({}, { wide: 'ü'.repeat(MOST_CONTEXT_BYTES / 2) })).toHaveProperty('problem');
  });

  it('a million brackets do not overflow the stack', () => {
    const text = `{"context": {"a": ${'['.repeat(200_000)}${']'.repeat(200_000)}}}`;
    const found = contextIn(text, false);
    if ('context' in found && found.context !== null) expect(mergeContext({}, found.context)).toHaveProperty('problem');
    else expect(found).toHaveProperty('problem');
  });

  it('__proto__ and constructor are keys like others', () => {
    const found = contextIn('{"context": {"__proto__": {"polluted": true}, "constructor": 1}}', false);
    const merged = mergeContext({}, 'context' in found ? (found.context ?? {}) : {});
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    expect(JSON.stringify('merged' in merged ? merged.merged : null)).toBe('{"__proto__":{"polluted":true},"constructor":1}');
  });

  it('any JSON: never throws, stays within its bounds, loses nothing that it takes', () => {
    const json = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 12 }));
    fc.assert(
      fc.property(json, json, (before, added) => {
        const first = mergeContext({}, before);
        const result = mergeContext('merged' in first ? first.merged : {}, added);
        if ('problem' in result) return;
        expect(Buffer.byteLength(JSON.stringify(result.merged))).toBeLessThanOrEqual(MOST_CONTEXT_BYTES);
        for (const [key, value] of Object.entries(added)) {
          const kept = Object.getOwnPropertyDescriptor(result.merged, key)?.value;
          expect(JSON.stringify(kept)).toBe(JSON.stringify(value));
        }
      }),
    );
  });

  it('any text as output never throws', () => {
    fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), fc.boolean(), (text, cut) => void contextIn(text, cut)));
  });
});
