import { limitStates } from '../../budget/limits.ts';
import { currentLedger } from '../../budget/read.ts';
import { limitsCanBeCounted } from '../../round/checks/limits.ts';
import { unsurePrices } from '../../round/counted-agents.ts';
import { isoTime } from '../../util/clock.ts';
import { clockTime } from '../../util/local-time.ts';
import { type Finding, projectCheck } from '../check.ts';
import { asFindings } from './agents.ts';

export const limits = projectCheck(
  'limits',
  'limits of rounds, cost and tokens: whether every agent tells what they count, and how far each is used up',
  async (project, { env, clock }) => {
    const { config } = project.loaded;
    const results = await limitsCanBeCounted({ ...project, env });
    const standing = limitStates(config.limits, currentLedger(project.paths), clock.now(), config.schedule.timezone);
    if (standing.length === 0) return [{ status: 'info', summary: 'none is set' }];
    const failed = asFindings(results, '').filter(({ status }) => status === 'failed');
    const unsure = (await unsurePrices(project.loaded)).map((summary): Finding => ({ status: 'warning', summary }));
    const told = standing.map((state): Finding => {
      const { limit, sentence, used_up, until, when_used_up, spent, allowed, unit, unknown_rounds } = state;
      const facts = { spent, allowed, unit, unknown_rounds, until: until === null ? null : isoTime(until) };
      if (!used_up) return { status: 'ok', of: limit, summary: sentence, facts };
      const then =
        when_used_up === 'stop' ? 'serve stops' : `rounds wait${until === null ? '' : ` until ${clockTime(until, clock.now())}`}`;
      return { status: 'warning', of: limit, summary: `${sentence}: ${then}`, remedy: "'agent-runner ack budget' counts anew.", facts };
    });
    return [...failed, ...unsure, ...told];
  },
);
