import type { LineNews, TurnFacts, TurnVerdict } from '../../src/agents/adapter.ts';
import { adapterOfIdentity } from '../../src/agents/registry.ts';

/** A noon in winter: 2026-11-29T12:00:00Z. */
export const NOON = 1_795_953_600;

export interface ReadTurn extends TurnVerdict {
  news: LineNews[];
  results: number;
}

/** What an adapter makes of these records (or lines of text), of an exit code and of what follows from them. */
export function readTurn(
  name: string,
  records: readonly unknown[],
  facts: Partial<TurnFacts> = {},
  command: readonly string[] = [],
): ReadTurn {
  const adapter = adapterOfIdentity(name);
  const reader = adapter.read(command);
  const lines = records.map((record) => (typeof record === 'string' ? record : JSON.stringify(record)));
  const heard = adapter.lines === 'json' ? lines.filter((line) => line.startsWith('{')) : lines;
  const news = heard.flatMap((line) => reader.line(line) ?? []);
  const verdict = reader.conclude({ exitCode: 0, tail: lines.join('\n'), nowEpoch: NOON, zone: 'Europe/Zurich', ...facts });
  return { ...verdict, news, results: news.filter(({ turn }) => turn === 'result').length };
}
