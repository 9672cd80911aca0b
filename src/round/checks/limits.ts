import { countedAgents, countedLimits } from '../counted-agents.ts';
import { type Check, type CheckResult, pass } from './check.ts';

const TOTAL = 'limits.max_cost_usd_total';
/** A limit of a day bounds a day: nobody must believe that it bounds them all. */
const NO_TOTAL = ', which bounds no total: in all, only runtime.max_rounds and limits.max_unproductive_rounds can';

/** A limit that would count nothing is worse than none: somebody sleeps because of it. */
export const limitsCanBeCounted: Check = async ({ loaded }) => {
  const limits = countedLimits(loaded);
  const wanted = (['cost', 'tokens'] as const).filter((what) => limits[what].length > 0);
  if (wanted.length === 0) return [];
  const agents = await countedAgents(loaded);
  return wanted.map((what): CheckResult => {
    const name = `${what}_limit`;
    const silent = agents.filter((agent) => agent[what] === false);
    if (silent.length === 0) return pass(name);
    const who = silent.map((agent) => `${agent.who}${agent.problem === null ? '' : ` (${agent.problem})`}`).join(', ');
    return {
      name,
      ok: false,
      permanent: true,
      code: 'AR-CHK-015',
      reason: `${limits[what].join(' and ')} cannot be kept: no ${what === 'cost' ? 'cost is' : 'tokens are'} told by ${who}`,
      remedy: `remove the limit, or set ${what === 'cost' && silent.every(({ tokens }) => tokens) ? 'limits.max_tokens_per_day' : 'limits.max_rounds_per_hour'} instead${limits[what].includes(TOTAL) ? NO_TOTAL : ''}`,
    };
  });
};
