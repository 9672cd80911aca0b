import type { TurnError } from './adapter.ts';
import { PHRASES, refusalOf, turnError } from './provider-error.ts';

/** Only so many of the last lines of a failed run are believed. */
const LINES = 8;
const LONGEST_LINE = 1000;
/** Below a frame of a stack trace is no news, nor in a JSON record: that is the reader's, which knows what in it is chat. */
const SKIPPED = /^\s*(?:at |[{}\]"']|\[[\s{["]|\.{3}|\d+ \||node:|Node\.js v)/;

/**
 * Before the words of an error a line may have decoration, and prefixes that call it one (`Error:`, `[ERROR]`, `caused by:`,
 * `litellm.RateLimitError: RateLimitError: OpenAIException -`, `API Error: 429`): a sentence about errors has something else there.
 */
const ERRORISH = String.raw`\[?[\w.]{0,40}(?:error|exception|fatal|failed|failure|caused by|denied|http|curl|status|api|llm|provider|stream|[45]\d\d)\b[\w .()/\]]{0,40}?(?:[:\-–—·]\s|:|\s(?=[45]\d\d\b)|\]\s)\s{0,3}`;
const LEAD = String.raw`^[^\w]{0,8}(?:${ERRORISH}){0,5}(?:[45]\d\d\s{1,3}|repeated [45]\d\d |connect |read |exceeded retry limit, last status: [45]\d\d |\(\d{1,2}\) )?["'([]{0,2}`;
const AT_LEAD = PHRASES.map(([pattern, meaning]) => [new RegExp(`${LEAD}(?:${pattern})`, 'i'), meaning] as const);
/** `Error: 429 {"type": ...`, `HTTP 503: `, `401 Unauthorized`; not `Error: 500 tests failed`. */
const STATUS = new RegExp(
  String.raw`^[^\w]{0,8}(?:${ERRORISH}){0,5}(?:http |status |error |code )?(4(?:01|02|03|08|29)|5\d\d)(?:\s?[{:(]|\s?$|\s(?:too many|unauthori|forbidden|internal|service|bad gateway|gateway|overloaded|payment))`,
  'i',
);

/**
 * The error in the last lines of a run that failed, or null. The newest line that speaks decides. Never asked of a run that did not
 * fail: an agent's chat and diffs are full of these words.
 */
export function errorOfTail(tail: string): TurnError | null {
  const lines = tail.split('\n').filter((line) => line.trim() !== '' && !SKIPPED.test(line));
  for (const line of lines.slice(-LINES).reverse()) {
    const error = errorOfLine(line.slice(0, LONGEST_LINE));
    if (error !== null) return error;
  }
  return null;
}

function errorOfLine(line: string): TurnError | null {
  const meaning = AT_LEAD.find(([pattern]) => pattern.test(line))?.[1];
  if (meaning !== undefined) return turnError(...meaning, line);
  const status = STATUS.exec(line)?.[1];
  return status === undefined ? null : refusalOf({ status: Number(status), words: line });
}

/**
 * Whether the process failed by itself. A signal is nobody's refusal (scar 45), and shells and CLIs report one as 129 to 143: gemini's
 * 144 for a status of 400 comes after those.
 */
export function failedByItself(exitCode: number | null): boolean {
  return exitCode !== null && exitCode > 0 && !(exitCode >= 129 && exitCode <= 143);
}
