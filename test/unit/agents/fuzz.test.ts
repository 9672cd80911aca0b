import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AgentAdapter, LineNews, TurnFacts, TurnVerdict } from '../../../src/agents/adapter.ts';
import { ADAPTERS } from '../../../src/agents/registry.ts';
import { ROOT } from '../../support/sources.ts';
import { NOON } from '../../support/turns.ts';

const FIXTURES = join(ROOT, 'test/fixtures/agents');
/** Adapters without recordings are fed with those of all others. */
const RECORDED = new Map(
  ADAPTERS.map((adapter): [string, string[][]] => {
    const own = adapter.understands.recorded.length > 0 ? [adapter.name] : readdirSync(FIXTURES);
    return [adapter.name, own.flatMap((cli) => recordingsOf(join(FIXTURES, cli)))];
  }),
);
function recordingsOf(folder: string): string[][] {
  return readdirSync(folder)
    .filter((file) => /\.(jsonl|stderr)$/.test(file))
    .map((file) =>
      readFileSync(join(folder, file), 'utf8')
        .split('\n')
        .filter((line) => line !== ''),
    )
    .filter((lines) => lines.length > 0);
}

interface Fed extends TurnVerdict {
  said: LineNews[];
}
/** Without `followTurn`: a shipped adapter itself must bear whatever comes. */
function feed(adapter: AgentAdapter, lines: readonly string[], facts: Partial<TurnFacts> = {}): Fed {
  const reader = adapter.read([adapter.name]);
  const said = lines.flatMap((line) => reader.line(line) ?? []);
  const verdict = reader.conclude({ exitCode: 0, tail: '', nowEpoch: NOON, zone: 'UTC', ...facts });
  return { ...verdict, said };
}

const KINDS = ['rate_limited', 'provider_error', 'auth_error', 'agent_error'];
/** Well-formed, and no error that no record told. */
function check({ finished, error, usage, said }: Fed): void {
  expect([true, false, null]).toContain(finished);
  if (error !== null) {
    expect(KINDS).toContain(error.kind);
    expect(typeof error.raw).toBe('string');
    if (error.resetAtEpoch !== null) expect(error.resetAtEpoch).toBeGreaterThan(1_420_000_000);
    expect(said.map((news) => news.error?.classification)).toContain(error.classification);
  }
  if (usage !== null) {
    for (const value of Object.values(usage)) if (typeof value === 'number') expect(Number.isFinite(value) && value >= 0).toBe(true);
  }
}

const jsonValue = fc.jsonValue({ maxDepth: 3 });
/** One value somewhere in a record becomes another of any type. */
function withOther(record: unknown, path: readonly number[], value: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined || typeof record !== 'object' || record === null) return value;
  const entries = Object.entries(record);
  if (entries.length === 0) return value;
  const at = step % entries.length;
  const changed = entries.map(([key, inner], index) => [key, index === at ? withOther(inner, rest, value) : inner] as const);
  return Array.isArray(record) ? changed.map(([, inner]) => inner) : Object.fromEntries(changed);
}

type Damage = (lines: string[]) => string[];
const damage: fc.Arbitrary<Damage> = fc.oneof(
  fc.tuple(fc.nat(), fc.nat()).map(
    ([line, at]) =>
      (lines: string[]) =>
        lines.map((text, n) => (n === line % lines.length ? text.slice(0, at % (text.length + 1)) : text)),
  ),
  fc.nat().map((at) => (lines: string[]) => lines.slice(0, at % (lines.length + 1))),
  fc.nat().map((at) => (lines: string[]) => lines.slice(at % (lines.length + 1))),
  fc.tuple(fc.nat(), fc.nat()).map(([one, other]) => (lines: string[]) => {
    const moved = [...lines];
    const [line = ''] = moved.splice(one % lines.length, 1);
    moved.splice(other % lines.length, 0, line);
    return moved;
  }),
  fc.nat().map((at) => (lines: string[]) => lines.flatMap((line, n) => (n === at % lines.length ? [line, line] : [line]))),
  fc.tuple(fc.nat(), fc.array(fc.nat(), { minLength: 1, maxLength: 5 }), jsonValue).map(
    ([at, path, value]) =>
      (lines: string[]) =>
        lines.map((line, n) =>
          n === at % lines.length && line.startsWith('{') ? JSON.stringify(withOther(JSON.parse(line), path, value)) : line,
        ),
  ),
  fc.tuple(fc.nat(), fc.string()).map(
    ([at, text]) =>
      (lines: string[]) =>
        lines.toSpliced(at % (lines.length + 1), 0, text),
  ),
);
/** Damage that leaves nothing to be damaged is followed by none. */
const damaged = (lines: string[], steps: Damage[]) => steps.reduce((now, step) => (now.length === 0 ? now : tryStep(step, now)), lines);
function tryStep(step: Damage, lines: string[]): string[] {
  try {
    return step(lines);
  } catch {
    return lines;
  }
}

const CHAT = [
  'usage limit reached|1766502000',
  "You've hit your limit · resets 3pm (Europe/Zurich)",
  'Error: 429 Too Many Requests',
  '401 Unauthorized: invalid api key, please run /login',
  'API Error: Repeated 529 Overloaded errors.',
  'Your credit balance is too low',
  'connect ECONNREFUSED 127.0.0.1:443; Retry-After: 120',
];
/** Where a CLI puts what the model and its tools said. */
function withChat(line: string, words: string): string {
  if (!line.startsWith('{')) return line;
  const chat = /^(?:text|content|output|aggregated_output|delta|thinking|command|stdout|result|arguments)$/;
  return JSON.stringify(
    JSON.parse(line, (key, value) =>
      chat.test(key) && typeof value === 'string' ? `I changed it: ${words} is now handled. ${value}` : value,
    ),
  );
}

describe.each(ADAPTERS.map((adapter) => [adapter.name, adapter] as const))('%s', (name, adapter) => {
  const recordings = fc.constantFrom(...(RECORDED.get(name) ?? []));

  it('recordings torn, cut, reordered, doubled, with values of other types: no throw, and no error that no record told', () => {
    fc.assert(
      fc.property(recordings, fc.array(damage, { minLength: 1, maxLength: 6 }), (lines, steps) =>
        check(feed(adapter, damaged(lines, steps))),
      ),
      { numRuns: 400 },
    );
  });

  it('any text and any records', () => {
    const type = fc.constantFrom(
      'result',
      'assistant',
      'system',
      'rate_limit_event',
      'turn.failed',
      'turn.completed',
      'item.completed',
      'error',
      'metadata',
      'done',
      'step_finish',
      'message_end',
      'agent_end',
      'init',
      'session',
    );
    const part = fc.oneof(jsonValue, fc.constantFrom('error', 'rejected', true, 429, 401, 'API Error: 529'));
    const record = fc
      .record({
        type,
        role: fc.constantFrom('meta', 'assistant', undefined),
        message: part,
        usage: part,
        error: part,
        is_error: part,
        result: part,
        item: part,
        part,
        meta: part,
        stats: part,
        status: part,
        rate_limit_info: part,
      })
      .map((value) => JSON.stringify(value));
    const binary = fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes).toString('utf8'));
    fc.assert(
      fc.property(fc.array(fc.oneof(record, fc.string(), binary, fc.json())), (lines) => check(feed(adapter, lines))),
      { numRuns: 300 },
    );
  });

  it('field bug 38: a good turn whose chat, diffs and tool output are full of limits starts nothing', () => {
    const good = (RECORDED.get(name) ?? []).filter((lines) => feed(adapter, lines).error === null);
    fc.assert(
      fc.property(fc.constantFrom(...good), fc.constantFrom(...CHAT), (lines, words) => {
        const { error } = feed(
          adapter,
          lines.map((line) => withChat(line, words)),
        );
        // A text that says only so much may still be a failed turn of its own; a provider is never blamed for it.
        expect(error === null || error.kind === 'agent_error').toBe(true);
      }),
      { numRuns: 150 },
    );
  });

  it('a line of fifty megabytes, whole and cut, and a megabyte of brackets', () => {
    const text = 'x'.repeat(50_000_000);
    const lines = [
      `{"type":"assistant","message":{"content":[{"type":"text","text":"${text}"}]}}`,
      `{"type":"result","is_error":false,"result":"${text}`,
      text,
    ];
    check(feed(adapter, [...lines, '['.repeat(1_000_000), '{"a":'.repeat(200_000), '{'.repeat(1_000_000)]));
  }, 30_000);

  it('the tail may be anything too', () => {
    const exitCode = fc.option(fc.integer({ min: 0, max: 255 }));
    fc.assert(
      fc.property(fc.string(), exitCode, recordings, (text, code, lines) => {
        for (const tail of [text, `${text}}`, lines.join('\n'), `[${lines.join(',')}]`]) {
          const { error } = feed(adapter, [], { exitCode: code, tail });
          if (error !== null) expect(KINDS).toContain(error.kind);
        }
      }),
      { numRuns: 100 },
    );
  });
});
