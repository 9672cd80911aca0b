import type { AgentAdapter } from './adapter.ts';
import { asksForRecords } from './command-line.ts';
import { readStreamJson } from './stream-json.ts';

/**
 * Claude Code. SIGINT lets it end its turn in order (exit 0 and a result); SIGTERM abandons the turn (143, none). A refused turn is
 * subtype "success" with is_error and exit 1; up to ten retries come before.
 */
export const claude: AgentAdapter = {
  name: 'claude',
  title: 'Claude Code',
  cooperativeStop: 'SIGINT',
  restingCpuMs: 200,
  lines: 'json',
  understands: {
    end: '`result`',
    tokens: true,
    cost: true,
    toolCalls: true,
    retries: 'records',
    errors: 'records',
    recorded: ['2.1.197', '2.1.332'],
  },
  hosts: ['api.anthropic.com', 'console.anthropic.com', 'platform.claude.com'],
  credentials: {
    env: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'],
    files: ['.claude/.credentials.json', '.claude.json'],
  },
  wrote: ({ type, claude_code_version }) => type === 'system' && typeof claude_code_version === 'string',
  read: (command = []) => readStreamJson({ reports: asksForRecords(command, '--output-format') ? 'always' : 'if spoken' }),
};
