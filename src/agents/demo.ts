import type { AgentAdapter } from './adapter.ts';
import { readStreamJson } from './stream-json.ts';

/** The bundled scripted agent of `init --preset demo` and `npm run demo`. */
export const demo: AgentAdapter = {
  name: 'demo',
  cooperativeStop: 'SIGTERM',
  lines: 'json',
  read: () => readStreamJson({ alwaysReports: true }),
};
