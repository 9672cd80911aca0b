import type { ERROR_CODES } from '../util/error-codes.ts';
import { RunnerError } from '../util/errors.ts';
import { visible } from '../util/visible.ts';

export type ConfigCode = Extract<keyof typeof ERROR_CODES, `AR-CFG-${string}`>;

/** One thing that is wrong with (or only remarkable about) a configuration file. */
export interface Problem {
  code: ConfigCode;
  /** Absolute path. */
  file: string;
  /** From 1; 1:1 when the problem is the file as a whole. */
  line: number;
  column: number;
  /** Dotted, `agent.command[1]`; empty when it is about the file. */
  key: string;
  /** What was found and what is accepted, in one line without file and key. */
  message: string;
  remedy: string;
}

/** A step into the document: table keys and list indexes. */
export type KeyPath = readonly (string | number)[];

/** A problem before its place in the text is known. */
export interface Finding {
  code: ConfigCode;
  path: KeyPath;
  /** Point at the key (it should not be there) or at its value (it is wrong). */
  at: 'key' | 'value';
  message: string;
  remedy: string;
}

export type Report = (finding: Finding) => void;

/** `agent.env."odd name"`, `agent.command[1]`: the way TOML would write it. */
export function dotted(path: KeyPath): string {
  let out = '';
  for (const step of path) {
    if (typeof step === 'number') out += `[${step}]`;
    else out += `${out === '' ? '' : '.'}${/^[A-Za-z0-9_-]+$/.test(step) ? step : JSON.stringify(step)}`;
  }
  return out;
}

/** No file, no place in it: it is missing or cannot be read. */
const WITHOUT_PLACE: ReadonlySet<ConfigCode> = new Set(['AR-CFG-002', 'AR-CFG-003']);

/** Whether it has a line: a file that cannot be read has none. */
export function hasPlace({ code }: Pick<Problem, 'code'>): boolean {
  return !WITHOUT_PLACE.has(code);
}

/** `agent-runner.toml:12:3: runtime.max_rounds: found ...`, one line. */
export function problemLine(problem: Problem): string {
  const { file, line, column, key, message } = problem;
  const place = hasPlace(problem) ? `:${line}:${column}` : '';
  return `${visible(file)}${place}: ${key === '' ? '' : `${key}: `}${message}`;
}

/** Every problem of a configuration file at once; exit 78. One problem reads like any other error, several are listed. */
export class ConfigProblems extends RunnerError {
  /** At most 50 of them; the message tells how many there are. */
  readonly problems: readonly Problem[];

  constructor(problems: readonly [Problem, ...Problem[]]) {
    const [first, ...others] = problems;
    super(
      others.length === 0
        ? { code: first.code, message: problemLine(first), remedy: first.remedy, exit: 'config' }
        : { code: 'AR-CFG-001', message: listed(problems), remedy: 'Correct these; nothing was started.', exit: 'config' },
    );
    this.name = 'ConfigProblems';
    this.problems = problems.slice(0, MOST_LISTED);
  }
}

/** More than this many are somebody else's file; the count is told. */
const MOST_LISTED = 50;

function listed(problems: readonly [Problem, ...Problem[]]): string {
  const lines = problems.slice(0, MOST_LISTED).map((problem) => `  ${problemLine(problem)} [${problem.code}]\n    ${problem.remedy}`);
  return [`${visible(problems[0].file)} has ${problems.length} problems`, ...lines].join('\n');
}
