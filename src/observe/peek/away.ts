import type { AccountsState } from '../../state/accounts.ts';
import { clockTime } from '../../util/local-time.ts';
import { untilMs } from './situation.ts';

/** Who could have which turn, by account, as the file says it: unchecked, and only for words. */
export interface Turns {
  /** A phase whose agents are all away is stepped over. */
  isSkipped: boolean;
  /** False for `transient_error_action = "skip"`: a limit holds nobody back. */
  limitsHold: boolean;
  /** Each phase (null: there are none) with its own account first, then those of its fallbacks. */
  turns: { phase: string | null; accounts: string[] }[];
}

type Fields = Record<string, unknown>;

export const NO_TURNS: Turns = { isSkipped: false, limitsHold: true, turns: [] };

export function turnsOf(document: Fields): Turns {
  const base = tableOf(document.agent);
  const phases = tableOf(document.phases);
  const list = Array.isArray(phases.list) ? phases.list.filter((name) => typeof name === 'string') : [];
  const ofBase = [base, ...standIns(base)].map((agent) => accountIn(agent, base)).filter((account) => account !== '');
  const ofPhase = (phase: string): string[] => {
    const own = Object.hasOwn(phases, phase) ? tableOf(tableOf(phases[phase]).agent) : {};
    const [first = ''] = ofBase;
    // Another preset is another CLI: it does not inherit the account.
    const account = accountIn(own.preset === undefined ? { ...base, ...own } : own, own.preset === undefined ? base : own);
    return account === first ? ofBase : [account];
  };
  return {
    isSkipped: phases.phase_policy === 'skip',
    limitsHold: tableOf(document.runtime).transient_error_action !== 'skip',
    turns:
      list.length === 0
        ? [{ phase: null, accounts: ofBase }]
        : [...new Set(list as string[])].map((phase) => ({ phase, accounts: ofPhase(phase) })),
  };
}

/** `work is limited until 22:27; home stands in`: that a first choice is away, while others do its work. Each account once. Pure. */
export function awayWords({ turns, isSkipped, limitsHold }: Turns, accounts: AccountsState | null, now: number): string[] {
  const ends = endsOf(accounts, now);
  const away = [...new Set(turns.map(({ accounts: [own = ''] }) => own))].filter((account) => ends.has(account));
  return away.map((account) => {
    const { until = 0, what = '' } = ends.get(account) ?? {};
    const its = turns.filter(({ accounts: [own] }) => own === account);
    const standIn = its[0]?.accounts.slice(1).find((other) => !ends.has(other));
    const time = clockTime(until, now);
    const phases = its.flatMap(({ phase }) => phase ?? []);
    const waits = standIn === undefined && isSkipped && limitsHold && phases.length > 0;
    if (waits)
      return `${phases.length === 1 ? 'phase' : 'phases'} ${phases.join(', ')} ${phases.length === 1 ? 'waits' : 'wait'} for ${account} until ${time}`;
    return `${account} ${what} until ${time}${standIn === undefined ? '' : `; ${standIn} stands in`}`;
  });
}

function endsOf(accounts: AccountsState | null, now: number): Map<string, { until: number; what: string }> {
  const ends = new Map<string, { until: number; what: string }>();
  const enter = (account: string, until: number | null, what: string) => {
    if (until !== null && until > now && until > (ends.get(account)?.until ?? 0)) ends.set(account, { until, what });
  };
  for (const { account, until } of accounts?.throttles ?? []) enter(account, untilMs(until), 'is limited');
  for (const { account, next_try } of accounts?.refusals ?? [])
    enter(account, untilMs(next_try), 'is not tried again, because its login was refused,');
  return ends;
}

function standIns(agent: Fields): Fields[] {
  return Array.isArray(agent.fallback) ? agent.fallback.map(tableOf) : [];
}

/** A preset is called as its CLI. */
function accountIn(agent: Fields, base: Fields): string {
  if (typeof agent.account === 'string') return agent.account;
  const command = agent.command ?? (agent.preset === undefined ? base.command : undefined);
  const first = Array.isArray(command) ? command[0] : (agent.preset ?? base.preset);
  return typeof first === 'string' ? (first.split('/').at(-1) ?? '') : '';
}

function tableOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}
