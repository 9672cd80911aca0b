import { survivorNames } from '../../round/survivors.ts';
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
        sentence: `what is left of an earlier round could not be ended: ${survivorNames(survivors)}`,
      };
