/**
 * A name and what separates it from its value, in the forms of shells, JSON (also inside a JSON string), YAML, headers and query
 * strings. The value is looked at only after a name that promises a secret.
 */
const NAME = /(?:(?<=\\[nrt])|(?<![\w.\\-]))([\w.-]{2,64})(\\{0,3}["']?\s{0,3}(?:=>|[:=])\s{0,3})/g;
/** `--token VALUE` on a command line. */
const FLAG = /(?<![\w.-])(--[\w-]{2,64})(\s{1,3})(?=\S)/g;

const QUOTE = /\\{0,3}["']/y;
const IN_DOUBLE_QUOTES = /(?:\\.|[^"\\\n])+/y;
const IN_SINGLE_QUOTES = /[^'\n]+/y;
const IN_ESCAPED_QUOTES = /[^"'\\\n]+/y;
const HEADER_VALUE = /[^"'\\\n\r]+/y;
const BARE = /[^\s"'\\&;<>]+/y;

const SECRET_WORD = new Set(
  'token secret secrets password passwd passphrase passcode pwd apikey authtoken credential credentials jwt'.split(' '),
);
/** `api_key` is one, `primary_key` is none. */
const KEY_OF = new Set('api access secret private signing encryption auth service account master shared session admin'.split(' '));
/** Their value has several words. */
const HEADER_WORD = new Set('authorization cookie'.split(' '));

const SCHEME_VALUE = /^(?:basic|bearer|digest|negotiate|token)\s+\S{6,}/i;
const PLACEHOLDER = /^(?:true|false|null|none|undefined|unset|yes|no|required|\*+|x+|\.+|<[^>]*>|\[redacted.*|%\w+%)$/i;
/** `$TOKEN`, `${TOKEN}`, `${{ secrets.TOKEN }}`, `$(cat file)`: where the secret is, not the secret. */
const REFERENCE = /^\$(?:[A-Z_][A-Z0-9_]*$|\{|\()/;
/** The folder somebody is in, of every shell; as `PWD=hunter2` of a connection string it is a password all the same. */
const FOLDER_NAME = /^(?:OLD)?PWD$/i;
const FOLDER_VALUE = /^(?:\/|~|[A-Za-z]:[\\/])/;
/** A count or a length, not a token. */
const SHORT_NUMBER = /^\d{1,11}$/;

/** Replaces the values of names such as `ANTHROPIC_API_KEY`, `"password"`, `Authorization`, `--token`. Linear in the length of `text`. */
export function redactAssignments(text: string, replacement: string): string {
  return redactAfter(FLAG, redactAfter(NAME, text, replacement), replacement);
}

function redactAfter(pattern: RegExp, text: string, replacement: string): string {
  const parts: string[] = [];
  let copied = 0;
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const [, name = '', separator = ''] = match;
    const kind = kindOfName(name);
    if (kind === null) continue;
    const value = valueAt(text, pattern.lastIndex, kind);
    if (value === null || !isSecret(value.text, name, kind, value.quoted || !/\s/.test(separator))) continue;
    parts.push(text.slice(copied, value.start), replacement);
    copied = value.start + value.text.length;
    pattern.lastIndex = copied;
  }
  if (copied === 0) return text;
  parts.push(text.slice(copied));
  return parts.join('');
}

type NameKind = 'secret' | 'header' | 'environment';

/** What a name promises, by its last words: `tokens` (a count) and `token_type` promise nothing. */
export function kindOfName(name: string): NameKind | null {
  const words = name.split(/[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])/).map((word) => word.toLowerCase());
  const last = words.at(-1) ?? '';
  const before = words.at(-2) ?? '';
  if (HEADER_WORD.has(last)) return 'header';
  if (SECRET_WORD.has(last) || (last === 'key' && KEY_OF.has(before)) || name === '_auth') return 'secret';
  if (last === 'pass' && before !== '') return 'secret';
  return /^[A-Z][A-Z0-9]*_(?:[A-Z0-9]+_)*(?:KEY|PAT|AUTH)$/.test(name) ? 'environment' : null;
}

/** `PWD=/home/me/project` */
export function isFolder(name: string, value: string): boolean {
  return FOLDER_NAME.test(name) && FOLDER_VALUE.test(value);
}

interface Value {
  start: number;
  text: string;
  quoted: boolean;
}

function valueAt(text: string, at: number, kind: NameKind): Value | null {
  const quote = sticky(QUOTE, text, at) ?? '';
  const start = at + quote.length;
  const value = sticky(kind === 'header' ? HEADER_VALUE : formOf(quote), text, start);
  // The bracket or the comma after a bare value belongs to the sentence.
  const found = quote === '' ? value?.replace(/[)\]},.:!]{1,8}$/, '') : value;
  return found ? { start, text: found, quoted: quote !== '' } : null;
}

function formOf(quote: string): RegExp {
  if (quote === '') return BARE;
  if (quote.length > 1) return IN_ESCAPED_QUOTES;
  return quote === '"' ? IN_DOUBLE_QUOTES : IN_SINGLE_QUOTES;
}

function sticky(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

/** `tight`: quoted, or written without a space, as nobody writes prose. Loose text needs more to look like a secret. */
function isSecret(value: string, name: string, kind: NameKind, tight: boolean): boolean {
  if (PLACEHOLDER.test(value) || REFERENCE.test(value) || isFolder(name, value)) return false;
  if (kind === 'header') return !value.includes('[redacted') && (/^(?=.*\d).{8,}/.test(value) || SCHEME_VALUE.test(value));
  if (kind === 'environment') return value.length >= 16 && /^[\w+/=.~-]+$/.test(value);
  if (SHORT_NUMBER.test(value) && /(?:token|key)$/i.test(name)) return false;
  return tight || (value.length >= 6 && /\d/.test(value) && !/[()]/.test(value)) || /^[\w+/=~-]{20,}$/.test(value);
}
