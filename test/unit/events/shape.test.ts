import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eventLine, MAX_LINE_BYTES } from '../../../src/events/shape.ts';
import { parseLine } from '../../../src/events/stored.ts';
import { redact, redactor } from '../../../src/util/redact.ts';

const AT = Date.UTC(2026, 10, 29, 17, 35, 8, 123);
const SK = 'sk-ant-api03-abcDEF123456789012345';

function line(kind: string, fields: Record<string, unknown>): Record<string, unknown> {
  return JSON.parse(eventLine(kind, fields, AT, redact));
}

describe('an event as a line', () => {
  it('begins with the time in UTC milliseconds, then the kind, then the fields in their order', () => {
    expect(eventLine('round_end', { round_num: 3 }, AT, redact)).toBe(
      '{"ts":"2026-11-29T17:35:08.123Z","event":"round_end","round_num":3}',
    );
  });

  it.each([
    ['transient_error_detected', 'raw', 200],
    ['stop_file_detected', 'content', 200],
    ['agent_self_terminated', 'reason', 200],
    ['crash_loop', 'reason', 2000],
    ['hook_failed', 'error_message', 1000],
    ['round_supervisor_wedged', 'log_path', 4096],
  ])('reference case 27, scar 69: %s.%s is redacted first and cut to %i second', (kind, field, limit) => {
    // The secret begins ten characters before the cut: cut first, its beginning would stay and look like nothing.
    const text = `${'word '.repeat(Math.ceil(limit / 5)).slice(0, limit - 11)} ${SK} and more`;
    const value = line(kind, { [field]: text })[field] as string;
    expect(value.length).toBe(limit);
    expect(value).not.toContain('sk-ant');
    expect(line(kind, { [field]: 'short' })[field]).toBe('short');
  });

  it('redacts at any depth, with the values of the environment that the caller knows', () => {
    const hide = redactor(['correct-horse']);
    const text = eventLine('dirty_detected', { files: ['a', `b ${SK}`], deep: [{ name: 'say correct-horse', pid: 1 }] }, AT, hide);
    expect(JSON.parse(text)).toMatchObject({ files: ['a', 'b [redacted]'], deep: [{ name: 'say [redacted]', pid: 1 }] });
  });

  it('leaves digests, ids, paths and refs as they are', () => {
    const fields = {
      config_digest: `sha256:${'0a1b2c3d'.repeat(8)}`,
      round_id: '550e8400-e29b-41d4-a716-446655440000',
      git_head: '0a1b2c3d4e5f60718293a4b5c6d7e8f901234567',
      log_path: '/home/u/.agent-runner/p/logs/rounds/R1-20261129T173508.log',
      exit_cause: 'signal:SIGKILL',
      container_id: '9f'.repeat(32),
      nothing: null,
      flag: false,
    };
    expect(line('x', fields)).toMatchObject(fields);
  });

  it('is bounded in bytes: lists lose their ends, and omitted says how much', () => {
    const members = Array.from({ length: 10_000 }, (_, n) => ({ name: `chrome-ünïcode-${n}`, pid: n }));
    const text = eventLine('round_reaped', { round_num: 1, members, survivors: members.slice(0, 3) }, AT, redact);
    expect(Buffer.byteLength(text)).toBeLessThan(MAX_LINE_BYTES);
    const event = JSON.parse(text);
    expect(event.survivors).toEqual(members.slice(0, 3));
    expect(event.members.length).toBeGreaterThan(500);
    expect(event.members).toEqual(members.slice(0, event.members.length));
    expect(event.omitted).toEqual({ members: 10_000 - event.members.length });
  });

  it('is one bounded line with ts and event whatever the fields are', () => {
    const value = fc.letrec<{ any: unknown }>((tie) => ({
      any: fc.oneof(
        { maxDepth: 3 },
        fc.string({ maxLength: 8_000, unit: 'binary' }),
        fc.integer(),
        fc.double(),
        fc.constant(null),
        fc.array(tie('any'), { maxLength: 50 }),
        fc.dictionary(fc.string(), tie('any')),
      ),
    })).any;
    fc.assert(
      fc.property(fc.dictionary(fc.stringMatching(/^[a-z_]{1,12}$/), value), (fields) => {
        const { ts: _ts, event: _event, ...rest } = fields;
        const text = eventLine('round_reaped', rest, AT, redact);
        expect(text).not.toContain('\n');
        expect(Buffer.byteLength(text)).toBeLessThan(MAX_LINE_BYTES);
        expect(parseLine(Buffer.from(text))).toMatchObject({ ts: '2026-11-29T17:35:08.123Z', event: 'round_reaped' });
      }),
      { numRuns: 50 },
    );
  });
});
