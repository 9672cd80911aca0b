import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { errnoOf, RunnerError } from '../util/errors.ts';

const LARGEST_ENV_FILE_BYTES = 1024 * 1024;

/**
 * The variables of `agent.env_file`. Throws AR-CFG-030 (not readable), 031 (its mode lets group or others in) or 032 (a line that is no
 * KEY=value): the line is named and never shown.
 */
export function readEnvFile(path: string): Record<string, string> {
  const text = readPrivate(path);
  checkLines(text, path);
  const variables: Record<string, string> = {};
  for (const [name, value] of Object.entries(parseEnv(text))) if (value !== undefined) variables[name] = value;
  return variables;
}

function readPrivate(path: string): string {
  let descriptor: number | null = null;
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    // Asked of the open file, not of its name, which could be another file by then.
    const stat = fstatSync(descriptor);
    if (!stat.isFile()) throw refusal('AR-CFG-030', `env file ${path} is not a regular file`, 'correct agent.env_file');
    if (stat.size > LARGEST_ENV_FILE_BYTES) throw refusal('AR-CFG-030', `env file ${path} is longer than 1 MiB`, 'correct agent.env_file');
    if ((stat.mode & 0o077) !== 0) {
      const mode = (stat.mode & 0o777).toString(8).padStart(4, '0');
      throw refusal('AR-CFG-031', `env file ${path} has mode ${mode}: others than its owner may use it`, `chmod 600 '${path}'`);
    }
    return readFileSync(descriptor, 'utf8');
  } catch (error) {
    if (error instanceof RunnerError) throw error;
    const why = errnoOf(error) === 'ENOENT' ? 'does not exist' : `cannot be read (${errnoOf(error) ?? 'invalid path'})`;
    throw refusal('AR-CFG-030', `env file ${path} ${why}`, 'create it, or correct agent.env_file', error);
  } finally {
    if (descriptor !== null) closeSync(descriptor);
  }
}

/** `KEY=`, then a quoted value that may span lines, or the rest of the line. */
const ENTRY = /(?:export[ \t]+)?[A-Za-z_][A-Za-z0-9_.-]*[ \t]*=[ \t]*(?:"[^"]*"|'[^']*'|`[^`]*`|[^\n]*)[^\n]*(?:\n|$)/y;
const BLANK_OR_COMMENT = /[ \t]*(?:#[^\n]*)?(?:\n|$)/y;

/** parseEnv takes a line without `=` for the beginning of the next name, silently. */
function checkLines(text: string, path: string): void {
  const plain = text.replaceAll('\r\n', '\n');
  if (plain.includes('\0')) throw refusal('AR-CFG-032', `env file ${path} contains a NUL byte`, 'write KEY=value lines as plain text');
  for (let at = 0; at < plain.length; ) {
    const indented = at + (/^[ \t]*/.exec(plain.slice(at, at + 200))?.[0].length ?? 0);
    const end = matchEnd(BLANK_OR_COMMENT, plain, at) ?? matchEnd(ENTRY, plain, indented);
    if (end === null) {
      const line = plain.slice(0, at).split('\n').length;
      throw refusal('AR-CFG-032', `env file ${path}, line ${line}: no KEY=value`, 'write one KEY=value a line; # begins a comment');
    }
    at = end;
  }
}

function matchEnd(pattern: RegExp, text: string, at: number): number | null {
  pattern.lastIndex = at;
  return pattern.exec(text) === null ? null : pattern.lastIndex;
}

function refusal(code: string, message: string, remedy: string, cause?: unknown): RunnerError {
  return new RunnerError({ code, message, remedy, exit: 'config', cause });
}
