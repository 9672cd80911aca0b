import { parse, TomlError } from 'smol-toml';
import { messageOf } from '../util/errors.ts';
import { type ConfigCode, ConfigProblems } from './problems.ts';

export type Document = Record<string, unknown>;

/** The parsed text. Throws ConfigProblems with the place when it is no TOML, or when there is nothing in it. */
export function parseDocument(text: string, file: string): Document {
  const refuse = (code: ConfigCode, place: { line: number; column: number; key: string }, message: string, remedy: string) =>
    new ConfigProblems([{ code, file, ...place, message, remedy }]);
  const start = { line: 1, column: 1, key: '' };
  let document: Document;
  try {
    document = parse(text, { unsafeKeyBehaviour: 'throw' }) as Document;
  } catch (error) {
    if (!(error instanceof TomlError)) {
      // Lists nested a thousand deep and the like: not a mistake that anybody makes.
      throw refuse('AR-CFG-007', start, `is not valid TOML: ${messageOf(error)}`, 'Give the path of an agent-runner.toml.');
    }
    const { line, column } = error;
    const complaint =
      messageOf(error)
        .replace(/^Invalid TOML document: /, '')
        .split('\n', 1)[0] ?? '';
    if (complaint.startsWith('trying to redefine')) {
      const key = keyOnLine(text, line);
      throw refuse('AR-CFG-008', { line, column, key }, 'is defined a second time', 'Keep one of the two.');
    }
    throw refuse('AR-CFG-007', { line, column, key: keyOnLine(text, line) }, `is not valid TOML: ${complaint}`, remedyFor(text, line));
  }
  if (Object.keys(document).length === 0)
    throw refuse('AR-CFG-006', start, 'the file is empty', "'agent-runner init --force' writes a new one.");
  return document;
}

function lineOf(text: string, line: number): string {
  return text.split('\n', line)[line - 1] ?? '';
}

/** What stands before the equals sign or in the brackets of a line; only plain keys, so that a broken value is never shown. */
function keyOnLine(text: string, line: number): string {
  return /^\s*\[{0,2}\s*([A-Za-z0-9_.-]{1,80})\s*[\]=]/.exec(lineOf(text, line))?.[1] ?? '';
}

/** The three slips that people make most. */
function remedyFor(text: string, line: number): string {
  const value = /=\s*(.*)$/.exec(lineOf(text, line))?.[1] ?? '';
  if (/^(True|False)\b/.test(value)) return 'Write true and false in lower case.';
  if (/^[A-Za-z/~]/.test(value)) return 'Put the text into quotes: key = "text"';
  if (/^"[^"]*\\/.test(value)) return "A backslash begins an escape: write it twice, or use single quotes: key = '...'";
  return 'Correct this place; what follows it was not looked at.';
}
