import { STREAK_LIMITS } from '../../state/serve-state.ts';
import { whoRan } from '../person.ts';
import type { Breaker } from './breaker.ts';

/** A login that failed three times in a row needs a person, not a fourth try. */
export const brokenAuth: Breaker = ({ auth }, result) =>
  auth >= STREAK_LIMITS.auth
    ? {
        event: 'needs_human',
        reason: 'auth',
        exit: 'config',
        consecutive: auth,
        sentence: `${whoRan(result)} was refused by its provider ${auth} times in a row`,
        remedy: `log in again with ${whoRan(result)}, or renew its key, then start serve again`,
      }
    : null;
