import { readJson } from './atomic.ts';
import { type SetAside, setAside } from './set-aside.ts';

/**
 * The state in a file for whoever owns the file (onlookers use `readState`): null when there is none. One that cannot be parsed, or
 * that `as` does not recognise, is set aside and told to `report`, so that a lost streak or wait is never taken for "there was none".
 */
export function loadState<State>(path: string, as: (value: unknown) => State | null, report: (found: SetAside) => void): State | null {
  const read = readJson(path);
  if (read.kind === 'missing') return null;
  if (read.kind === 'corrupt') {
    report({ path, set_aside: read.setAside, reason: read.reason });
    return null;
  }
  const state = as(read.value);
  if (state === null) report({ path, set_aside: setAside(path), reason: 'does not hold what it should' });
  return state;
}
