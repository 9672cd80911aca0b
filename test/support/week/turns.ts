import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Turn } from '../virtual/agent.ts';
import { type Ending, RULES } from './oracle.ts';
import { SECOND, type Span, type World } from './world.ts';

/** How a turn goes: when it is over, what the agent says then, and what that is. */
export interface PlannedTurn {
  ends: number;
  says: Turn | null;
  outcome: string;
  ending: Ending;
}

/** Who begins a turn, and when. */
export interface TurnOf {
  account: string;
  began: number;
  /** When a person has renewed the login of the first account; infinite before. */
  loggedIn: number;
  hasHung: boolean;
}

/** What the world does to a turn. */
export function turnAt(world: World, { account, began, loggedIn, hasHung }: TurnOf): PlannedTurn {
  if (account === REVIEWER) {
    const said = { says: [{ note: 'reviewed, nothing to add' }] };
    return { ends: began + world.reviewLength(), says: said, outcome: 'ok', ending: { kind: 'ok' } };
  }
  if (!hasHung && began >= world.hangs)
    return { ends: began + RULES.wall + SECOND, says: null, outcome: 'timeout', ending: { kind: 'hang' } };
  const ends = began + world.turnLength();
  const meets = <One extends Span>(spans: readonly One[]) => spans.find(({ from, to }) => from < ends && began < to);
  // A CLI needs some seconds to start, and some to hear that it is refused.
  const refusedAt = (from: number) => Math.max(began + 20 * SECOND, from + 5 * SECOND);
  const limit = meets(world.limits.filter((one) => one.account === account));
  if (limit !== undefined) {
    const resetsAt = Math.round(limit.to / SECOND);
    return {
      ends: refusedAt(limit.from),
      says: limited(resetsAt),
      outcome: 'rate_limited',
      ending: { kind: 'limit', resets: resetsAt * SECOND },
    };
  }
  const outage = meets(world.outages);
  if (outage !== undefined) {
    return { ends: refusedAt(outage.from), says: fails('529'), outcome: 'provider_error', ending: { kind: 'outage', nth: 1 } };
  }
  if (account === world.accounts[0] && ends > world.loginExpires && began < loggedIn) {
    return { ends: refusedAt(world.loginExpires), says: fails('401-maxretries1'), outcome: 'auth_error', ending: { kind: 'login' } };
  }
  return { ends, says: { says: recorded('newer-ok'), works: true }, outcome: 'ok', ending: { kind: 'ok' } };
}

/** The account of the phase `review`: a CLI that tells neither its usage nor the end of its turn. */
export const REVIEWER = 'aider';

/** Real output of claude. */
function recorded(name: string): Record<string, unknown>[] {
  const path = fileURLToPath(new URL(`../../fixtures/agents/claude/${name}.jsonl`, import.meta.url));
  return readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

const fails = (name: string): Turn => ({ says: recorded(name), exit: 1 });

/** Its record of an account's limit, and the refused turn after it. */
function limited(resetsAt: number): Turn {
  const info = { status: 'rejected', rateLimitType: 'five_hour', resetsAt, overageStatus: 'rejected', isUsingOverage: false };
  const refused = recorded('529').map((record) =>
    record.type === 'result' ? { ...record, api_error_status: 429, result: "You've hit your limit" } : record,
  );
  return { says: [{ type: 'rate_limit_event', rate_limit_info: info }, ...refused], exit: 1 };
}
