import type { AgentAdapter, TurnReader, TurnUsage } from './adapter.ts';
import { optionOf } from './command-line.ts';
import { retryWords } from './retry-words.ts';
import { settle } from './settle.ts';
import { addTokens, NO_TOKENS } from './tokens.ts';

/**
 * aider prints text, not records. After each answer of its model comes a line with the tokens and, where it knows the price, the cost;
 * its words are rounded. When a provider refuses it prints litellm's exception and exits 0: without a line of tokens behind it, such a
 * turn has not finished. That starts no wait, as it is only text.
 */
export const aider: AgentAdapter = {
  name: 'aider',
  title: 'aider',
  cooperativeStop: null,
  lines: 'all',
  understands: {
    end: 'a `Tokens:` line',
    tokens: true,
    cost: 'some models',
    toolCalls: false,
    retries: 'text',
    errors: 'text',
    recorded: [],
  },
  hosts: ['api.openai.com', 'api.anthropic.com', 'openrouter.ai'],
  credentials: {
    env: ['OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'OPENROUTER_API_KEY', 'GEMINI_API_KEY', 'DEEPSEEK_API_KEY'],
    files: ['.aider.conf.yml', '.aider/oauth-keys.env'],
  },
  read: readAider,
};

/** `Tokens: 12k sent, 1.2k cache write, 3k cache hit, 130 received. Cost: $0.01 message, $0.02 session.` */
const TOKENS =
  /^(?:> )?Tokens: ([\d.,]+[kM]?) sent(?:, ([\d.,]+[kM]?) cache write)?(?:, ([\d.,]+[kM]?) cache hit)?, ([\d.,]+[kM]?) received\.(?: Cost: \$([\d.]+) message, \$([\d.]+) session\.)?\s*$/;
const REFUSED = /^litellm\.(\w+)(?:Error|Exception)\b/;
const RETRY = /^Retrying in ([\d.]+) seconds/;

function readAider(command: readonly string[] = []): TurnReader {
  const model = optionOf(command, '--model');
  let answered: boolean | null = null;
  let refusal: string | null = null;
  let tokens = NO_TOKENS;
  let cost: number | null = null;

  const usage = (): TurnUsage | null =>
    answered === null || tokens === NO_TOKENS
      ? null
      : { model, ...tokens, cost_usd: cost, duration_ms: null, tool_call_count: 0, models_breakdown: null };

  return {
    line(line) {
      // Most lines are chat and diffs.
      const first = line.charCodeAt(0);
      if (first === 0x54 || first === 0x3e) {
        const found = TOKENS.exec(line);
        if (found === null) return undefined;
        answered = true;
        const [, sent, written, hit, received, , session] = found;
        tokens = addTokens(tokens, {
          input_tokens: roundedCount(sent),
          output_tokens: roundedCount(received),
          cached_tokens: roundedCount(hit),
          cache_creation_tokens: roundedCount(written),
        });
        cost = session === undefined ? cost : Number(session);
        const used = usage();
        return used ? { usage: used } : undefined;
      }
      if (first === 0x6c) {
        const kind = REFUSED.exec(line)?.[1];
        if (kind === undefined) return undefined;
        answered = false;
        refusal = kind;
        return undefined;
      }
      const retry = first === 0x52 ? RETRY.exec(line) : null;
      return retry === null ? undefined : { retrying: retryWords([refusal, `in ${retry[1]} s`]) };
    },
    conclude: (facts) => settle({ finished: answered, error: null, usage: usage() }, facts),
  };
}

/** `12k`, `1.2k`, `2.5M`, `950`. */
function roundedCount(text: string | undefined): number {
  if (text === undefined) return 0;
  const scale = text.endsWith('k') ? 1000 : text.endsWith('M') ? 1_000_000 : 1;
  const number = Number(text.replaceAll(',', '').replace(/[kM]$/, ''));
  return Number.isFinite(number) ? Math.round(number * scale) : 0;
}
