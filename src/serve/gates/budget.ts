import { type Gate, OPEN } from './gate.ts';

/** Limits of an hour and of a day that are used up; until the last of them opens again. Limits that end serve are `budgetEnd`'s. */
export const withinBudget: Gate = ({ limits }) => {
  const closed = limits.filter(({ when_used_up, used_up }) => when_used_up === 'wait' && used_up);
  const last = closed.toSorted((a, b) => (b.until ?? 0) - (a.until ?? 0))[0];
  if (last === undefined) return OPEN;
  return {
    open: false,
    reason: 'budget',
    until: last.until,
    source: closed.map(({ limit }) => `limits.${limit}`).join(' '),
    sentence: closed.map(({ sentence }) => sentence).join(', '),
  };
};
