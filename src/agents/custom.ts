import type { AgentAdapter } from './adapter.ts';
import { readStreamJson } from './stream-json.ts';

/** A CLI that nobody here knows: a `result` record is believed if one comes, and none is expected. */
export const custom: AgentAdapter = {
  name: 'custom',
  title: 'any other CLI',
  cooperativeStop: null,
  lines: 'json',
  understands: {
    end: '`result`, if it comes',
    tokens: false,
    cost: false,
    toolCalls: false,
    retries: null,
    errors: 'text',
    recorded: [],
  },
  hosts: [],
  credentials: { env: [], files: [] },
  read: () => readStreamJson({ reports: 'perhaps' }),
};
