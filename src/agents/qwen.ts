import type { AgentAdapter } from './adapter.ts';
import { asksForRecords } from './command-line.ts';
import { readStreamJson } from './stream-json.ts';

/**
 * Qwen Code. A refused request is exit 0, "success", is_error false, with "[API Error: ...]" as the whole text of the result; 429 and
 * 5xx are retried in silence, for minutes.
 */
export const qwen: AgentAdapter = {
  name: 'qwen',
  title: 'Qwen Code',
  cooperativeStop: null,
  restingCpuMs: 500,
  lines: 'json',
  understands: { end: '`result`', tokens: true, cost: false, toolCalls: true, retries: null, errors: 'records', recorded: ['0.15.10'] },
  hosts: ['dashscope.aliyuncs.com', 'dashscope-intl.aliyuncs.com', 'chat.qwen.ai', 'portal.qwen.ai'],
  credentials: { env: ['OPENAI_API_KEY', 'DASHSCOPE_API_KEY'], files: ['.qwen/oauth_creds.json', '.qwen/settings.json'] },
  wrote: ({ type, qwen_code_version }) => type === 'system' && typeof qwen_code_version === 'string',
  read: (command = []) =>
    readStreamJson({
      reports: asksForRecords(command, '--output-format', '-o') ? 'always' : 'if spoken',
      grossInput: true,
      appendsErrors: true,
    }),
};
