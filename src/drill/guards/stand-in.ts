import { type Guard, verdict } from '../guard.ts';

export const standIn: Guard = {
  name: 'provider limit',
  what: 'at the limit of a provider the account waits to the stated end, and a fallback runs meanwhile',
  async run(scene) {
    const { code } = await scene.serve({ word: 'limit', fallback: 'finish', wallS: 60 }, 2);
    const outcomes = scene.events('agent_exit').map(({ outcome }) => outcome);
    const [told] = scene.events('transient_error_detected');
    const ran = scene.events('round_start').map(({ fallback }) => fallback);
    return verdict(
      [
        [told?.classification === 'rate_limit_account', `the limit was taken for ${told?.classification ?? 'nothing'}`],
        [ran[1] === 1, 'no fallback took over'],
        [code === 0 && outcomes.join() === 'rate_limited,ok', `the rounds ended as ${outcomes.join(', ')} (exit ${code})`],
      ],
      'told with its end; the next round was the fallback’s',
    );
  },
};
