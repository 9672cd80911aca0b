import { CLASSIFICATIONS } from '../../agents/provider-error.ts';
import type { Refusal, Throttle } from '../../state/accounts.ts';
import type { Obstacle } from '../gates/gate.ts';

/** Why an account may not be used now, for the gate, `peek` and the log. */
export function throttleObstacle(throttle: Throttle, until: number): Obstacle {
  const { account, classification, stated, consecutive, network } = throttle;
  const what = Object.hasOwn(CLASSIFICATIONS, classification)
    ? CLASSIFICATIONS[classification as keyof typeof CLASSIFICATIONS]
    : classification || 'a refusal of the provider';
  const nth = network > 0 ? network : consecutive;
  const end = stated ? "the end is the provider's own word" : `estimated wait${nth > 1 ? `, refusal ${nth} in a row` : ''}`;
  return {
    reason: classification === 'network' ? 'network' : 'throttled',
    until,
    source: account,
    sentence:
      network > 0
        ? `${account}: ${what}; tried again by itself${nth > 1 ? `, for the ${nth + 1}th time` : ''}`
        : `${account}: ${what}; ${end}`,
  };
}

export function refusalObstacle({ account, next_try: nextTry }: Refusal): Obstacle {
  return {
    reason: 'refused',
    until: Date.parse(nextTry),
    source: account,
    sentence: `${account}: its credentials were refused, and it is left alone until then; \`agent-runner ack auth\` uses it again at once`,
  };
}
