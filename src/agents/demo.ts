import type { AgentAdapter } from './adapter.ts';
import { readStreamJson } from './stream-json.ts';

/** The bundled scripted agent of `init --preset demo` and `npm run demo`. */
export const demo: AgentAdapter = {
  name: 'demo',
  title: 'the bundled scripted agent',
  cooperativeStop: 'SIGTERM',
  lines: 'json',
  understands: { end: '`result`', tokens: true, cost: true, toolCalls: false, retries: null, errors: 'records', recorded: [] },
  hosts: [],
  credentials: { env: [], files: [] },
  wrote: ({ type, model }) => type === 'system' && model === 'scripted',
  read: () => readStreamJson({ reports: 'always' }),
};
