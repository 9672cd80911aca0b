import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Turn } from '../virtual/agent.ts';

/** Real output of claude; what depends on the hour is put in. */
const recorded = (name: string) =>
  readFileSync(fileURLToPath(new URL(`../../fixtures/agents/claude/${name}.jsonl`, import.meta.url)), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

const refusal = (status: number, words: string) =>
  recorded('529').map((record) => (record.type === 'result' ? { ...record, api_error_status: status, result: words } : record));

/** The provider's own end of an account's limit, epoch seconds. */
const rejected = (resetsAt: number) => ({
  type: 'rate_limit_event',
  rate_limit_info: { status: 'rejected', rateLimitType: 'five_hour', resetsAt, overageStatus: 'rejected', isUsingOverage: false },
});

export const TURNS = {
  ok: (): Turn => ({ says: recorded('newer-ok'), works: true }),
  limit: (resetsAtMs: number): Turn => ({
    says: [rejected(Math.round(resetsAtMs / 1000)), ...refusal(429, "You've hit your limit")],
    exit: 1,
  }),
  overloaded: (): Turn => ({ says: recorded('529'), exit: 1 }),
  loggedOut: (): Turn => ({ says: recorded('401-maxretries1'), exit: 1 }),
} as const;
