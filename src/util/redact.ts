import { redactAssignments } from './redact-assignments.ts';
import { redactPemKeys } from './redact-pem.ts';

export const REDACTED = '[redacted]';

export type Redact = (text: string) => string;

/**
 * Where a token may begin. Also right after the `\n` of a JSON string, which is where it stands in the output of most agents; never
 * inside a longer word, which makes each run of characters be looked at once and the whole linear.
 */
const START = String.raw`(?:(?<=\\[nrt])|(?<![\w\-]))`;

/** Tokens that tell by their own form what they are. */
const TOKENS = new RegExp(
  START +
    '(?:' +
    [
      String.raw`[sr]k-(?=[\w-]*\d)[\w-]{16,}`, // OpenAI, Anthropic, OpenRouter ...
      String.raw`[srp]k_(?:live|test)_\w{16,}`, // Stripe
      'gh[pousr]_[A-Za-z0-9]{20,}',
      String.raw`github_pat_\w{20,}`,
      String.raw`glpat-[\w-]{16,}`,
      '(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])',
      String.raw`xox[a-z]-[\w-]{10,}`, // Slack
      String.raw`xapp-[\w-]{10,}`,
      String.raw`AIza[\w-]{30,}`, // Google
      String.raw`ya29\.[\w-]{20,}`,
      'npm_[A-Za-z0-9]{30,}',
      'hf_[A-Za-z0-9]{30,}',
      'AGE-SECRET-KEY-1[A-Z0-9]{20,}',
      String.raw`eyJ[\w-]{6,}\.[\w-]{6,}(?:\.[\w-]*)?`, // a JWT, signed or not
    ].join('|') +
    ')',
  'g',
);

/** `Bearer <token>`; a word without a digit is prose ("bearer authentication") unless it is as long as only tokens are. */
const SCHEME = /(?<![A-Za-z0-9])(bearer|basic)(\s{1,3})(?=[\w.~+/=-]*\d|[\w.~+/=-]{24})[\w.~+/=-]{8,}/gi;
/** The user information of a URL, to its last `@`: a password may hold one. */
const USER_INFO = /(:\/\/)([^\s/?#"'<>\\]+)@/g;
/** A user name alone (`ssh://git@host`) is no secret; something this long in its place is a token. */
const LONGEST_USER_NAME = 15;

/**
 * Takes out what looks like a secret: tokens by their form, credentials by the name before them, passwords in URLs, private keys.
 * Everything else stays as it is, and what was redacted once is not changed again. Linear in the length of `text`.
 */
export function redact(text: string): string {
  const step = redactPemKeys(text, REDACTED).replace(TOKENS, REDACTED).replace(SCHEME, `$1$2${REDACTED}`).replace(USER_INFO, hideUserInfo);
  return redactAssignments(step, REDACTED);
}

function hideUserInfo(whole: string, slashes: string, info: string): string {
  const colon = info.indexOf(':');
  if (colon >= 0) return `${slashes}${info.slice(0, colon)}:${REDACTED}@`;
  return info.length > LONGEST_USER_NAME ? `${slashes}${REDACTED}@` : whole;
}

/** `redact` that also knows these very values (see `secretValues`), as they are, as a JSON string has them and percent-encoded. */
export function redactor(values: Iterable<string>): Redact {
  const forms = new Set<string>();
  for (const value of values) {
    for (const form of [value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value.replace(/\p{Cs}/gu, ''))]) {
      if (form !== '') forms.add(form);
    }
  }
  // The longer first: one value may be the beginning of another.
  const ordered = [...forms].sort((a, b) => b.length - a.length);
  return (text) => redact(ordered.reduce((rest, form) => rest.replaceAll(form, REDACTED), text));
}

/** More text than this is not looked at for a short excerpt. */
const WINDOW = 65_536;

/** The first `max` UTF-16 units of the redacted text: redacted first and cut second, so that no secret is halved out of recognition. */
export function redactHead(text: string, max: number, hide: Redact = redact): string {
  if (text.length <= WINDOW + max) return cutHead(hide(text), max);
  // The window's last word may be half a secret.
  return cutHead(hide(text.slice(0, WINDOW + max).replace(/\S{1,4096}$/, '')), max);
}

/** The last `max` UTF-16 units of the redacted text. */
export function redactTail(text: string, max: number, hide: Redact = redact): string {
  if (text.length <= WINDOW + max) return cutTail(hide(text), max);
  return cutTail(hide(text.slice(-(WINDOW + max)).replace(/^\S{1,4096}/, '')), max);
}

/** Never half of a surrogate pair. */
function cutHead(text: string, max: number): string {
  if (text.length <= max) return text;
  return text.slice(0, isHighSurrogate(text.charCodeAt(max - 1)) ? max - 1 : max);
}

function cutTail(text: string, max: number): string {
  if (text.length <= max) return text;
  const from = text.length - max;
  return text.slice(isHighSurrogate(text.charCodeAt(from - 1)) ? from + 1 : from);
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
