import { type Gate, OPEN } from './gate.ts';

/** Somebody must be there to take the turn: see `planTurn`. */
export const turnTaken: Gate = ({ turn }) => (turn === null ? OPEN : { open: false, ...turn });
