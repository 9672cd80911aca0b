import { messageOf } from '../util/errors.ts';

export type Translation = { regex: RegExp } | { problem: string };

/** Somebody's slip rather than a pattern; also keeps the compiler's work small. */
const LONGEST_PATTERN = 2000;

/**
 * A Python `re` pattern as a JavaScript RegExp that matches the same text: the configuration files were written for Python. The flag `m`
 * is never set, so that `^` and `$` mean the ends of the text in what comes out. What has no counterpart (verbose mode, conditionals,
 * atomic groups, possessive quantifiers, flags for a part, \N{...}) is a problem in words. `\d`, `\w`, `\s` and `\b` know ASCII only.
 */
export function translatePythonRegex(source: string, { ignoreCase }: { ignoreCase: boolean }): Translation {
  if (source.length > LONGEST_PATTERN) return { problem: `it is longer than ${LONGEST_PATTERN} characters` };
  try {
    const { flags, rest } = leadingFlags(source);
    const body = translateBody({ source: rest, at: 0, multiline: flags.includes('m'), dotAll: flags.includes('s') });
    return { regex: new RegExp(body, ignoreCase || flags.includes('i') ? 'iu' : 'u') };
  } catch (error) {
    // V8 puts the whole (translated) pattern before its reason.
    const reason = messageOf(error).replace(/^Invalid regular expression: .*: /s, '');
    return { problem: reason.charAt(0).toLowerCase() + reason.slice(1) };
  }
}

interface Cursor {
  source: string;
  at: number;
  multiline: boolean;
  dotAll: boolean;
}

function leadingFlags(source: string): { flags: string; rest: string } {
  const found = /^\(\?([aiLmsux]+)\)/.exec(source);
  const flags = found?.[1] ?? '';
  if (flags.includes('x')) throw new Error('verbose mode (?x) has no counterpart; write the pattern without blanks and comments');
  if (flags.includes('L')) throw new Error('the locale flag (?L) has no counterpart');
  return { flags, rest: source.slice(found?.[0].length ?? 0) };
}

function translateBody(cursor: Cursor): string {
  let out = '';
  while (cursor.at < cursor.source.length) out += piece(cursor);
  return out;
}

/** Translates what stands at the cursor and moves the cursor behind it. */
function piece(cursor: Cursor): string {
  const character = take(cursor);
  switch (character) {
    case '\\':
      return escapeOutsideClass(cursor);
    case '[':
      return characterClass(cursor);
    case '(':
      return groupOpening(cursor);
    case '.':
      // JavaScript's dot also stops at \r and the Unicode line separators.
      return cursor.dotAll ? '[\\s\\S]' : '[^\\n]';
    case '^':
      return cursor.multiline ? '(?<=^|\\n)' : '^';
    case '$':
      // Python's $ also matches before a newline that ends the text.
      return cursor.multiline ? '(?=\\n|$)' : '(?=\\n?$)';
    case '*':
    case '+':
    case '?':
      return character + quantifierEnd(cursor);
    case '{':
      return braces(cursor);
    case '}':
    case ']':
      return `\\${character}`;
    default:
      return character;
  }
}

function take(cursor: Cursor, length = 1): string {
  const taken =
    length === 1 ? String.fromCodePoint(cursor.source.codePointAt(cursor.at) ?? 0) : cursor.source.slice(cursor.at, cursor.at + length);
  cursor.at += taken.length;
  return taken;
}

function takeMatch(cursor: Cursor, pattern: RegExp): RegExpExecArray | null {
  const sticky = new RegExp(pattern.source, 'y');
  sticky.lastIndex = cursor.at;
  const found = sticky.exec(cursor.source);
  if (found) cursor.at += found[0].length;
  return found;
}

function quantifierEnd(cursor: Cursor): string {
  if (takeMatch(cursor, /\+/)) throw new Error('a possessive quantifier (as in a++) has no counterpart');
  return takeMatch(cursor, /\?/) ? '?' : '';
}

/** `{2}`, `{2,}`, `{2,3}` and Python's `{,3}` count; any other brace is itself. */
function braces(cursor: Cursor): string {
  const found = takeMatch(cursor, /(\d+)\}|(\d*),(\d*)\}/);
  if (!found) return '\\{';
  const count = found[1] ?? `${found[2] || '0'},${found[3] ?? ''}`;
  return `{${count}}${quantifierEnd(cursor)}`;
}

function groupOpening(cursor: Cursor): string {
  if (cursor.source[cursor.at] !== '?') return '(';
  const plain = takeMatch(cursor, /\?(?::|=|!|<=|<!)/);
  if (plain) return `(${plain[0]}`;
  const named = takeMatch(cursor, /\?P?<([A-Za-z_]\w*)>/);
  if (named) return `(?<${named[1]}>`;
  const reference = takeMatch(cursor, /\?P=([A-Za-z_]\w*)\)/);
  if (reference) return `(?:\\k<${reference[1]}>)`;
  if (takeMatch(cursor, /\?#[^)]*\)/)) return '';
  if (takeMatch(cursor, /\?>/)) throw new Error('an atomic group (?>...) has no counterpart');
  if (takeMatch(cursor, /\?\(/)) throw new Error('a conditional (?(1)...) has no counterpart');
  if (takeMatch(cursor, /\?[aiLmsux]+\)/)) throw new Error('flags such as (?i) must stand at the very start');
  if (takeMatch(cursor, /\?[aiLmsux]*(?:-[imsx]+)?:/))
    throw new Error('flags for a part, as in (?i:...), have no counterpart; put (?i) at the start');
  throw new Error(`unknown kind of group (${cursor.source.slice(cursor.at, cursor.at + 3)}`);
}

function escapeOutsideClass(cursor: Cursor): string {
  if (takeMatch(cursor, /A/)) return '^';
  if (takeMatch(cursor, /[Zz]/)) return '$';
  const octal = takeMatch(cursor, /0[0-7]{0,2}|[1-7][0-7]{2}/);
  if (octal) return octalEscape(octal[0]);
  const reference = takeMatch(cursor, /[1-9]\d?/);
  if (reference) return `(?:\\${reference[0]})`;
  if (takeMatch(cursor, /B/)) return '\\B';
  return commonEscape(cursor, /[\^$\\.*+?()[\]{}|/]/);
}

function characterClass(cursor: Cursor): string {
  let out = `[${takeMatch(cursor, /\^/)?.[0] ?? ''}`;
  // A bracket in first place is itself in Python.
  if (takeMatch(cursor, /\]/)) out += '\\]';
  while (cursor.at < cursor.source.length) {
    const character = take(cursor);
    if (character === ']') return `${out}]`;
    if (character === '\\') out += escapeInClass(cursor);
    else out += character === '[' ? '\\[' : character;
  }
  throw new Error('a [ is never closed');
}

function escapeInClass(cursor: Cursor): string {
  const octal = takeMatch(cursor, /[0-7]{1,3}/);
  if (octal) return octalEscape(octal[0]);
  return commonEscape(cursor, /[\^\\\]\-[]/);
}

/** Escapes that mean the same in and outside a class. `special`: characters that must stay escaped here. */
function commonEscape(cursor: Cursor, special: RegExp): string {
  const same = takeMatch(cursor, /[bdDsSwWfnrtv]|x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}/);
  if (same) return `\\${same[0]}`;
  if (takeMatch(cursor, /a/)) return '\\x07';
  const long = takeMatch(cursor, /U([0-9A-Fa-f]{8})/);
  if (long) return `\\u{${(long[1] as string).replace(/^0{1,7}/, '')}}`;
  if (cursor.at >= cursor.source.length) throw new Error('it ends with a single backslash');
  const character = take(cursor);
  if (/[A-Za-z0-9]/.test(character)) throw new Error(`the escape \\${character} has no counterpart`);
  return special.test(character) ? `\\${character}` : character;
}

function octalEscape(digits: string): string {
  const value = Number.parseInt(digits, 8);
  if (value > 0o377) throw new Error(`the octal escape \\${digits} is out of range`);
  return `\\x${value.toString(16).padStart(2, '0')}`;
}
