import type { AgentAdapter } from './adapter.ts';
import { readStreamJson } from './stream-json.ts';

/** Claude Code. SIGINT lets it end its turn in order; SIGTERM abandons the turn (exit 143, no result record). */
export const claude: AgentAdapter = {
  name: 'claude',
  cooperativeStop: 'SIGINT',
  lines: 'json',
  read: () => readStreamJson({ alwaysReports: true }),
};
