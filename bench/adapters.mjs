// Cost of the adapters: lines and megabytes per second, per CLI, over its recorded output again and again, and over chat that is no
// record. Usage: npx tsx bench/adapters.mjs [seconds per measurement = 1] [name ...]
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ADAPTERS } from '../src/agents/registry.ts';
import { followTurn } from '../src/agents/turn.ts';

const [seconds = '1', ...names] = process.argv.slice(2);
const fixtures = resolve(import.meta.dirname, '../test/fixtures/agents');
const CHAT = Array.from({ length: 200 }, (_, at) => `${at}: the usage limit reached message, 429 and 401, and ${'more words '.repeat(10)}`);
const LARGE = [JSON.stringify({ type: 'user', message: { content: [{ type: 'tool_result', content: 'x'.repeat(200_000) }] } })];

function recorded(name) {
  const folder = join(fixtures, name);
  const files = readdirSync(fixtures).includes(name) ? readdirSync(folder).filter((file) => file.endsWith('.jsonl')) : [];
  return files.flatMap((file) => readFileSync(join(folder, file), 'utf8').split('\n')).filter((line) => line !== '');
}

function measure(adapter, what, lines) {
  const turn = followTurn(adapter, { command: [adapter.name], repetition: { window: 20, threshold: 20 } });
  const wanted = adapter.lines === 'json' ? lines.filter((line) => line.startsWith('{')) : lines;
  if (wanted.length === 0) return;
  const bytes = wanted.reduce((sum, line) => sum + line.length, 0);
  const end = performance.now() + Number(seconds) * 1000;
  let count = 0;
  const began = performance.now();
  while (performance.now() < end) {
    for (const line of wanted) turn.line(line);
    count += wanted.length;
  }
  turn.conclude({ exitCode: 0, tail: '', nowEpoch: 1_795_953_600, zone: 'UTC' });
  const took = (performance.now() - began) / 1000;
  const perSecond = count / took;
  console.log(
    JSON.stringify({
      adapter: adapter.name,
      what,
      bytes_per_line: Math.round(bytes / wanted.length),
      lines_per_s: Math.round(perSecond),
      mb_per_s: Math.round((perSecond * bytes) / wanted.length / 1e6),
      us_per_line: Number((1e6 / perSecond).toFixed(2)),
    }),
  );
}

for (const adapter of ADAPTERS.filter(({ name }) => names.length === 0 || names.includes(name))) {
  measure(adapter, 'recorded', recorded(adapter.name));
  measure(adapter, 'chat', CHAT);
  measure(adapter, 'large', LARGE);
}
