import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseStatus, type StatusEntry } from '../../../src/git/porcelain.ts';

const sha = fc.stringMatching(/^[0-9a-f]{40}$/);
const mode = fc.constantFrom('000000', '100644', '100755', '120000', '160000');
/** Any bytes but NUL: newlines, spaces, quotes, a leading dash, broken UTF-8. */
const path = fc
  .array(fc.integer({ min: 1, max: 255 }), { minLength: 1, maxLength: 40 })
  .map((bytes) => Buffer.from(bytes).toString('latin1'));
const letters = fc.constantFrom('.M', 'M.', 'MM', 'A.', 'AM', '.D', 'D.', '.T', '.A');
const submodule = fc.constantFrom('N...', 'S..U', 'SC..', 'SCMU', 'S.M.');

const entry: fc.Arbitrary<{ text: string; expected: Omit<StatusEntry, 'detail'> }> = fc.oneof(
  fc.tuple(letters, submodule, fc.tuple(mode, mode, mode), fc.tuple(sha, sha), path).map(([xy, sub, modes, shas, name]) => ({
    text: `1 ${xy} ${sub} ${modes.join(' ')} ${shas.join(' ')} ${name}\0`,
    expected: { kind: 'changed' as const, xy, gitlink: sub[0] === 'S', path: name, from: null },
  })),
  fc
    .tuple(submodule, fc.tuple(mode, mode, mode), fc.tuple(sha, sha), fc.nat(100), path, path)
    .map(([sub, modes, shas, score, name, from]) => ({
      text: `2 R. ${sub} ${modes.join(' ')} ${shas.join(' ')} R${score} ${name}\0${from}\0`,
      expected: { kind: 'renamed' as const, xy: 'R.', gitlink: sub[0] === 'S', path: name, from },
    })),
  fc.tuple(fc.tuple(mode, mode, mode, mode), fc.tuple(sha, sha, sha), path).map(([modes, shas, name]) => ({
    text: `u UU N... ${modes.join(' ')} ${shas.join(' ')} ${name}\0`,
    expected: { kind: 'unmerged' as const, xy: 'UU', gitlink: false, path: name, from: null },
  })),
  path.map((name) => ({ text: `? ${name}\0`, expected: { kind: 'untracked' as const, xy: '??', gitlink: false, path: name, from: null } })),
);

const withoutDetail = (entries: readonly StatusEntry[]) => entries.map(({ detail, ...rest }) => rest);

describe('parseStatus', () => {
  it('reads back whatever git can write: any bytes in names, renames of two names, every record type', () => {
    fc.assert(
      fc.property(fc.option(sha), fc.array(entry, { maxLength: 12 }), (head, entries) => {
        const text = `# branch.oid ${head ?? '(initial)'}\0# branch.head main\0${entries.map((one) => one.text).join('')}`;
        const status = parseStatus(text);
        expect(status.head).toBe(head);
        expect(withoutDetail(status.entries)).toEqual(entries.map((one) => one.expected));
      }),
    );
  });

  it('loses at most the last record of a cut output, and never throws', () => {
    fc.assert(
      fc.property(fc.array(entry, { minLength: 1, maxLength: 6 }), fc.nat(), (entries, where) => {
        const whole = entries.map((one) => one.text).join('');
        const cut = whole.slice(0, where % whole.length);
        const expected = entries.map((one) => one.expected);
        const found = withoutDetail(parseStatus(cut).entries);
        expect(found).toEqual(expected.slice(0, found.length));
        expect(found.length).toBeLessThan(entries.length);
      }),
    );
  });

  it('never throws on arbitrary text', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => void parseStatus(text)));
  });

  it('skips headers and record types of a newer git', () => {
    const text = '# branch.oid (initial)\0# stash 3\0! ignored\0x something new\0? a\0';
    expect(parseStatus(text)).toEqual({
      head: null,
      entries: [{ kind: 'untracked', xy: '??', gitlink: false, path: 'a', from: null, detail: '?' }],
    });
  });
});
