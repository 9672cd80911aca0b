import { type Gate, OPEN } from './gate.ts';

/** Two agents on one tree destroy each other's work, so nothing starts beside somebody who should be dead. */
export const survivorsGone: Gate = ({ survivors }) =>
  survivors.length === 0
    ? OPEN
    : {
        open: false,
        reason: 'survivors',
        until: null,
        source: 'survivors gate',
        sentence: `${survivors.length} process${survivors.length === 1 ? '' : 'es'} of an earlier round could not be ended: ${survivors
          .map(({ name, pid }) => `${name} (pid ${pid})`)
          .join(', ')}`,
      };
