import { type Gate, OPEN } from './gate.ts';

/** A delay or a provider's limit that has not run out; kept on disk, so that a restart waits no shorter and no longer. */
export const waitOver: Gate = ({ wait, now }) => {
  if (wait?.until == null) return OPEN;
  const until = Date.parse(wait.until);
  if (until <= now) return OPEN;
  return { open: false, reason: wait.reason as never, until, source: wait.source, sentence: wait.sentence };
};
