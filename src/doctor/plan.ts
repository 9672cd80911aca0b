import { adapterName } from '../agents/registry.ts';
import { accountOf, agentIdentity, everyAgent, phaseOf, profileFor } from '../config/profile.ts';
import type { Config, Schedule } from '../config/schema.ts';
import { judge } from '../schedule/verdict.ts';
import { onTheWall } from '../schedule/words.ts';
import { NO_ACCOUNTS, readAccounts } from '../state/accounts.ts';
import { expectedRoundNumber } from '../state/round-number.ts';
import { isoTime } from '../util/clock.ts';
import { clockTime } from '../util/local-time.ts';
import { zoneOf } from '../util/zone.ts';
import { type ProjectContext, projectCheck } from './check.ts';

export const PHASE_PLAN = 'phase_plan';

/** What one of the next rounds would be. */
export interface PlannedRound {
  round_num: number;
  phase: string | null;
  agent: string;
  adapter: string;
  round_timeout_s: number;
  prompt_files: string[];
  fresh_eyes: boolean;
  /** ISO, UTC: when the schedule lets it start at the earliest, if the rounds before it took no time; null: at once. */
  earliest_start: string | null;
}

function planRounds({ loaded: { config }, paths }: ProjectContext, rounds: number, now: number): PlannedRound[] {
  const first = expectedRoundNumber(paths);
  const starts = startsInTurn(config, now);
  return Array.from({ length: rounds }, (_, i) => {
    const roundNum = first + i;
    const { phase, at } = starts(roundNum);
    const { agent, runtime, prompt } = profileFor(config, phase);
    const identity = agentIdentity(agent);
    const everyN = config.runtime.fresh_eyes_every_n;
    return {
      round_num: roundNum,
      phase,
      agent: identity,
      adapter: adapterName(identity, agent.adapter),
      round_timeout_s: runtime.round_timeout_s,
      prompt_files: prompt.files,
      fresh_eyes: everyN !== null && roundNum % everyN === 0,
      earliest_start: at > now ? isoTime(at) : null,
    };
  });
}

/** Which phase each round in turn would be, and when, by the schedules alone: each begins when the one before has. */
function startsInTurn(config: Config, now: number): (roundNum: number) => { phase: string | null; at: number } {
  let moment = now;
  const lastStarts = new Map<Schedule, number>();
  return (roundNum) => {
    const inTurn = phaseOf(config, roundNum);
    const others = config.phases.phase_policy === 'skip' ? config.phases.list.filter((phase) => phase !== inTurn) : [];
    const opening = (phase: string | null) => {
      const { schedule } = profileFor(config, phase);
      const verdict = judge(schedule, moment, lastStarts.get(schedule) ?? now);
      return { phase, schedule, at: verdict.open ? moment : (verdict.until ?? Number.POSITIVE_INFINITY) };
    };
    const { phase, schedule, at } = [inTurn, ...others].map(opening).reduce((best, one) => (one.at < best.at ? one : best));
    // A phase that never opens and is waited for: the configuration refuses it.
    moment = Number.isFinite(at) ? at : moment;
    lastStarts.set(schedule, moment);
    return { phase, at: moment };
  };
}

/** ` from Mon 22:00`, on the wall of the schedule. */
function fromWords(config: Config, { phase, earliest_start: at }: PlannedRound, now: number): string {
  return at === null ? '' : ` from ${onTheWall(Date.parse(at), now, zoneOf(profileFor(config, phase).schedule.timezone))}`;
}

export const phasePlan = projectCheck(PHASE_PLAN, 'what the next rounds would be (`--rounds N` of them)', (project, { rounds, clock }) => {
  const now = clock.now();
  const { config } = project.loaded;
  const plan = planRounds(project, rounds, now);
  const words = plan.map((round) => {
    const { round_num: number, phase, agent } = round;
    return `${number} ${phase === null ? agent : `${phase} (${agent})`}${fromWords(config, round, now)}`;
  });
  return [{ status: 'info', summary: `${words.join(', ')}${awayNote(project, now)}`, facts: { rounds: plan } }];
});

/** The plan is one of phases and schedules: who is away now is told beside it. */
function awayNote({ loaded, paths }: ProjectContext, now: number): string {
  const own = new Set(everyAgent(loaded.config).map(accountOf));
  const { throttles, refusals } = readAccounts(paths) ?? NO_ACCOUNTS;
  const away = [
    ...throttles.map(({ account, until }) => ({ account, what: 'is limited', until: Date.parse(until ?? '') })),
    ...refusals.map(({ account, next_try }) => ({ account, what: 'is left alone after a refused login', until: Date.parse(next_try) })),
  ].filter(({ account, until }) => own.has(account) && until > now);
  if (away.length === 0) return '';
  const words = away.map(({ account, what, until }) => `${account} ${what} until ${clockTime(until, now)}`);
  return `; this plan leaves out who is away: ${words.join(', ')}`;
}
