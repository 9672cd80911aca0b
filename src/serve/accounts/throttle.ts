import type { EventFields } from '../../events/catalogue.ts';
import type { Throttle } from '../../state/accounts.ts';
import { isoTime } from '../../util/clock.ts';

/** First wait after a refusal without a stated end, seconds, by classification (the predecessor's; `billing` and `network` are ours). */
const FIRST_WAIT_S: Record<string, number> = { api_timeout: 30, billing: 600, network: 15 };
const USUAL_FIRST_WAIT_S = 60;
/** Half an hour: the cap of an estimated wait (the predecessor's). */
const LONGEST_ESTIMATE_S = 1800;
/** A network comes back at any moment: nobody should wait half an hour for a cable that was plugged in. */
const LONGEST_NETWORK_WAIT_S = 300;
/** 2^5 = 32 times the first wait and no further. */
const MOST_DOUBLINGS = 5;
/** A stated end of an account's limit is taken as given so far ahead: a month's quota, and some days. */
const LONGEST_STATED_S = 35 * 86_400;
/** What is further away is a misread date: looked at again then (the predecessor's cap). */
const LONGEST_UNBELIEVED_S = 8 * 3600;
/** Spread so that many supervisors of one account do not return in the same second; less after a network failure, which spares nobody. */
const JITTER_S = { least: 5, most: 30 };
const NETWORK_JITTER_S = { least: 0, most: 5 };

const NETWORK = 'network';
/** Classes whose waits are estimated; of any other the stated end is taken as given (scar 38: adapters may have words of their own). */
const ESTIMATED = new Set(['rate_limit_model', 'api_transient_5xx', 'api_timeout', 'billing', NETWORK]);

/** A refusal as a round's result, or an event of any age and origin, tells it. */
export interface Detection {
  account: string;
  agent: string;
  classification: string;
  /** Epoch seconds; whatever else there is means that no end was stated (scar 39). */
  resetAtEpoch: unknown;
  roundNum: number;
  phase: string | null;
}

export interface NextThrottle {
  throttle: Throttle;
  /** To be told when the wait differs from the one that was asked for. */
  capped: EventFields<'transient_error_backoff_capped'> | null;
}

/** How long an account is left alone after one more refusal. `now` is epoch ms, `random` in [0, 1). Pure. */
export function throttleAfter(previous: Throttle | null, found: Detection, now: number, random: number): NextThrottle {
  const { classification } = found;
  const isNetwork = classification === NETWORK;
  // A night without a network must not make the next overload of the provider an affair of half an hour.
  const consecutive = (previous?.consecutive ?? 0) + (isNetwork ? 0 : 1);
  const network = isNetwork ? (previous?.network ?? 0) + 1 : 0;
  const firstS = firstWaitS(classification);
  const nth = isNetwork ? network : consecutive;
  const grownS = firstS * 2 ** Math.min(nth - 1, MOST_DOUBLINGS);
  const estimatedS = Math.min(grownS, isNetwork ? LONGEST_NETWORK_WAIT_S : LONGEST_ESTIMATE_S);
  const asked = isNetwork ? null : secondsUntil(found.resetAtEpoch, now);
  const mostS = ESTIMATED.has(classification) ? LONGEST_UNBELIEVED_S : LONGEST_STATED_S;
  const statedS = asked !== null && asked > mostS ? LONGEST_UNBELIEVED_S : asked;
  // The end of an account's limit is a fact; "try again in 2 s" of an overloaded provider must not undo the growth of the wait.
  const isFact = statedS !== null && (!ESTIMATED.has(classification) || statedS >= estimatedS);
  const waitS = isFact ? statedS : estimatedS;
  const { least, most } = isNetwork ? NETWORK_JITTER_S : JITTER_S;
  const until = now + (waitS + least + random * (most - least)) * 1000;
  const requestedS = asked ?? firstS;
  return {
    throttle: {
      account: found.account,
      agent: found.agent,
      classification,
      since: isoTime(now),
      until: isoTime(until),
      stated: isFact,
      consecutive,
      network,
      round_num: found.roundNum,
      phase: found.phase,
    },
    capped:
      waitS === requestedS
        ? null
        : {
            classification,
            agent: found.agent,
            account: found.account,
            requested_sleep_s: rounded(requestedS),
            applied_sleep_s: rounded(waitS),
            original_reset_at_epoch: rounded(now / 1000 + requestedS),
            applied_reset_at_epoch: rounded(now / 1000 + waitS),
            consecutive_count: nth,
            capped_by_absolute_max: asked !== null && asked > mostS,
          },
  };
}

/** Of a kind of which the CLI states no end that counts: what it says is a hint, how often it said so decides. */
export function isEstimated(classification: string): boolean {
  return ESTIMATED.has(classification);
}

function firstWaitS(classification: string): number {
  return Object.hasOwn(FIRST_WAIT_S, classification) ? (FIRST_WAIT_S[classification] ?? USUAL_FIRST_WAIT_S) : USUAL_FIRST_WAIT_S;
}

/** Null when no end in the future was stated. */
function secondsUntil(epoch: unknown, now: number): number | null {
  const at = typeof epoch === 'string' && epoch.trim() !== '' ? Number(epoch) : epoch;
  if (typeof at !== 'number' || !Number.isFinite(at)) return null;
  const s = at - now / 1000;
  return s > 0 ? s : null;
}

function rounded(s: number): number {
  return Math.round(s * 1000) / 1000;
}
