import type { AgentAdapter, TurnError, TurnReader } from './adapter.ts';
import { listOf, numberOf, objectOf, parseJsonLine, textOf } from './json-line.ts';
import { refusalOf } from './provider-error.ts';
import { retryWords } from './retry-words.ts';
import { settle } from './settle.ts';
import { toolCall } from './tool-target.ts';

/**
 * Kimi Code (`kimi -p ... --output-format stream-json`). It tells no usage. A failed turn is a line of text on stderr and exit 1; what
 * it had tried again before is the only record of the reason. The line with which a session can be resumed is printed only after a turn
 * that came to its end.
 */
export const kimi: AgentAdapter = {
  name: 'kimi',
  title: 'Kimi Code',
  cooperativeStop: null,
  lines: 'json',
  understands: {
    end: '`session.resume_hint`',
    tokens: false,
    cost: false,
    toolCalls: true,
    retries: 'records',
    errors: 'text',
    recorded: [],
  },
  hosts: ['api.kimi.com', 'api.moonshot.ai', 'api.moonshot.cn', 'auth.kimi.com'],
  credentials: { env: ['KIMI_MODEL_API_KEY', 'MOONSHOT_API_KEY'], files: ['.kimi-code/config.toml', '.kimi/config.toml'] },
  wrote: ({ role, type }) => role === 'meta' && typeof type === 'string',
  read: readKimi,
};

function readKimi(): TurnReader {
  /** A version that prints records about itself prints the one at the end too. */
  let metaSeen = false;
  let finished = false;
  let retried: TurnError | null = null;

  return {
    line(line) {
      if (line.startsWith('{"role":"tool"')) return undefined;
      const record = parseJsonLine(line);
      if (record?.role === 'assistant') {
        // Whatever was tried again has worked.
        retried = null;
        const tools = listOf(record.tool_calls)
          .map((call) => objectOf(objectOf(call)?.function))
          .filter((call) => call !== null)
          .map((call) => toolCall(call.name, call.arguments));
        return tools.length > 0 ? { tools } : undefined;
      }
      if (record?.role !== 'meta') return undefined;
      metaSeen = true;
      if (record.type === 'session.resume_hint') {
        finished = true;
        return { turn: 'result' };
      }
      if (record.type !== 'turn.step.retrying') return undefined;
      const words = textOf(record.error_message) ?? textOf(record.error_name) ?? 'retrying';
      retried = refusalOf({ status: numberOf(record.status_code), words });
      return { retrying: retryWords([record.status_code, record.error_name], record.failed_attempt, record.max_attempts) };
    },
    conclude(facts) {
      const failed = facts.exitCode !== 0 && facts.exitCode !== null && !finished;
      return settle({ finished: finished || (metaSeen ? false : null), error: failed ? retried : null, usage: null }, facts);
    },
  };
}
