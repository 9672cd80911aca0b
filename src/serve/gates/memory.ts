import { type Gate, OPEN } from './gate.ts';

/** An agent that is started now would make it worse. A warning holds nothing back: a small machine lives with warnings. */
export const memoryIsFit: Gate = ({ memory }) =>
  memory?.severity === 'critical' ? { open: false, reason: 'memory', until: null, source: 'memory gate', sentence: memory.message } : OPEN;
