import { type Gate, OPEN } from './gate.ts';

/** `agent-runner pause`, until its time or `resume`. */
export const notPaused: Gate = ({ pause, now }) => {
  if (pause === null) return OPEN;
  const until = pause.until === null ? null : Date.parse(pause.until);
  if (until !== null && until <= now) return OPEN;
  return {
    open: false,
    reason: 'paused',
    until,
    source: 'pause',
    sentence: until === null ? 'paused by a person until `agent-runner resume`' : 'paused by a person',
  };
};
