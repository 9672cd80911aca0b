import * as z from 'zod';
import { pathProblem } from '../paths.ts';
import type { ConfigCode } from '../problems.ts';
import { translatePythonRegex } from '../python-regex.ts';

/** `params` of a zod issue whose message is complete. */
export interface CustomIssue {
  code: ConfigCode;
  remedy: string;
}

const custom = (message: string, params: CustomIssue) => ({ code: 'custom' as const, message, params });

/**
 * The kinds of value that a key can take. Each says in `accepts` what a user may write, for error messages and for the table in
 * docs/configuration.md, so that neither repeats what the check knows.
 */

/** TOML has no null: absent is how a key says "none". */
export const none = <T extends z.ZodType>(kind: T) => kind.nullable().default(null);

/** Larger numbers of seconds, megabytes or rounds are always a slip, and 32 bits survive every timer and counter. */
const LARGEST = 2 ** 31 - 1;

export function whole(min: number, max: number = LARGEST) {
  const range = max === LARGEST ? `${min} or more` : `from ${min} to ${max}`;
  return z
    .int()
    .min(min)
    .max(max)
    .meta({ accepts: `a whole number, ${range}` });
}

export const decimalAboveZero = () => z.number().positive().meta({ accepts: 'a number above 0' });

export const percent = () => z.number().min(0).max(100).meta({ accepts: 'a number from 0 to 100' });

export const percentAboveZero = () => z.number().positive().max(100).meta({ accepts: 'a number above 0, at most 100' });

export const flag = () => z.boolean().meta({ accepts: 'true or false' });

export const oneOf = <const V extends readonly [string, ...string[]]>(...values: V) => {
  const quoted = values.map((value) => JSON.stringify(value));
  return z.enum(values).meta({ accepts: `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}` });
};

export const anyText = () => z.string().meta({ accepts: 'text' });

export const word = () =>
  z
    .string()
    .regex(/^[^\p{Cc}]+$/u)
    .meta({ accepts: 'a text of one line' });

export const words = () => z.array(word()).meta({ accepts: 'a list of texts' });

/** execve cannot carry a NUL. */
const argument = () =>
  z
    .string()
    .refine((text) => !text.includes('\0'))
    .meta({ accepts: 'text without NUL' });

export const args = () => z.array(argument()).meta({ accepts: 'a list of texts' });

/** A program and its arguments. */
export const argv = () => z.tuple([argument().min(1)], argument()).meta({ accepts: 'a list of texts, the program first' });

export const argvs = () => z.array(argv()).meta({ accepts: 'a list of commands, each a list of texts' });

export const path = () =>
  z
    .string()
    .superRefine((raw, context) => {
      const problem = pathProblem(raw) ?? foreignHome(raw);
      if (problem !== null) context.addIssue(custom(`the path ${problem}`, { code: 'AR-CFG-018', remedy: 'Write another path.' }));
    })
    .meta({ accepts: 'a path' });

export const paths = () => z.array(path()).meta({ accepts: 'a list of paths' });

/** `~name/...` would become a folder with that very name. */
function foreignHome(raw: string): string | null {
  return /^~[^/]/.test(raw) ? "begins with somebody else's home: only ~ and ~/ are understood" : null;
}

/** Python regular expressions, as the predecessor's users have them. */
export const regexes = (options: { ignoreCase: boolean }) =>
  z
    .array(
      z
        .string()
        .meta({ accepts: 'text' })
        .transform((source, context) => {
          const result = translatePythonRegex(source, options);
          if ('regex' in result) return result.regex;
          const message = `the regular expression ${JSON.stringify(source.slice(0, 80))} cannot be used: ${result.problem}`;
          context.addIssue(custom(message, { code: 'AR-CFG-017', remedy: 'Rewrite the pattern: it is a Python regular expression.' }));
          return z.NEVER;
        }),
    )
    .meta({ accepts: 'a list of regular expressions' });

/** Environment variables; other scalars become text the way the predecessor did it (Python's `str`). */
export const variables = () =>
  z
    .record(
      z.string().regex(/^[^=\0]+$/),
      z.union([argument(), z.number().transform(String), z.boolean().transform(pythonText)]).meta({ accepts: 'text' }),
    )
    .meta({ accepts: 'a table of NAME = "text"' });

function pythonText(on: boolean): string {
  return on ? 'True' : 'False';
}

export const timeZone = () => z.string().refine(isTimeZone).meta({ accepts: 'an IANA time zone such as "Europe/Zurich"' });

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** The format's version. The predecessor's 0.3 files say 1 as well; a greater number is a file of a later agent-runner. */
export const formatVersion = () =>
  z
    .int()
    .superRefine((version, context) => {
      if (version === 1) return;
      const remedy =
        version > 1 ? 'Upgrade agent-runner: the file was written for a later version.' : 'Write schema_version = 1, or leave it out.';
      context.addIssue(custom(`found ${version}; accepted: 1`, { code: 'AR-CFG-011', remedy }));
    })
    .meta({ accepts: '1' });
