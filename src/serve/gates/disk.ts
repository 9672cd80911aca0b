import { type Gate, OPEN } from './gate.ts';

/** A round that begins on a full disk loses its work: git and the log need room. */
export const diskHasRoom: Gate = ({ disk }) =>
  disk?.severity === 'critical' ? { open: false, reason: 'disk', until: null, source: 'disk gate', sentence: disk.message } : OPEN;
