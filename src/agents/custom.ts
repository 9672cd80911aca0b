import type { AgentAdapter } from './adapter.ts';
import { readStreamJson } from './stream-json.ts';

/** A CLI that nobody here knows: a `result` record is believed if one comes, and none is expected. */
export const custom: AgentAdapter = {
  name: 'custom',
  cooperativeStop: null,
  lines: 'json',
  read: () => readStreamJson({ alwaysReports: false }),
};
