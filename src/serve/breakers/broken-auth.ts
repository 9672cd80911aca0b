import { STREAK_LIMITS } from '../../state/serve-state.ts';
import type { Breaker } from './breaker.ts';

/** A login that failed three times in a row needs a person, not a fourth try. */
export const brokenAuth: Breaker = ({ auth }, { identity }) =>
  auth >= STREAK_LIMITS.auth
    ? {
        event: 'needs_human',
        reason: 'auth',
        exit: 'config',
        consecutive: auth,
        sentence: `${identity} was refused by its provider ${auth} times in a row`,
        remedy: `log in again with ${identity}, or renew its key, then start serve again`,
      }
    : null;
