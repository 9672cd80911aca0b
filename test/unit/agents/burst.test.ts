import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../../support/sources.ts';
import { readTurn } from '../../support/turns.ts';

/** More than any window of lines or bytes that looks at the end of a log alone. */
const BURST = Array.from({ length: 20_000 }, (_, i) => (i % 2 === 0 ? `(node:7) Warning: listener ${i} leaked` : `{ not a record ${i}`));

it.each<[name: string, exitCode: number]>([
  ['claude/ok', 0],
  ['claude/429-maxretries1', 1],
  ['codex/401', 1],
  ['gemini/401', 145],
  ['opencode/429', 1],
  ['pi/500', 0],
  ['qwen/401', 0],
])('scar 34: a burst of stderr around the last record hides nothing: %s', (name, exitCode) => {
  const [cli = ''] = name.split('/', 1);
  const records = readFileSync(join(ROOT, 'test/fixtures/agents', `${name}.jsonl`), 'utf8')
    .trim()
    .split('\n');
  const { news: _, ...alone } = readTurn(cli, records, { exitCode });
  const burst = [...records.slice(0, -1), ...BURST, ...records.slice(-1), ...BURST];
  const { news: __, ...amid } = readTurn(cli, burst, { exitCode, tail: BURST.slice(-500).join('\n') });
  expect(alone.error !== null || alone.usage !== null).toBe(true);
  expect(amid).toEqual(alone);
});
