import { type ExitName, exitCode } from './exit-codes.ts';

interface RunnerErrorOptions {
  /** Stable, documented in docs/troubleshooting.md: `AR-<AREA>-<NNN>`. */
  code: string;
  /** What is wrong and where, in one line. */
  message: string;
  /** What the user can do about it, in one line. */
  remedy?: string;
  exit?: ExitName;
  cause?: unknown;
}

/** An error that a user may see: it knows its code, its remedy and the exit code it deserves. Anything else that surfaces is a bug. */
export class RunnerError extends Error {
  readonly code: string;
  readonly remedy: string | undefined;
  readonly exit: ExitName;

  constructor({ code, message, remedy, exit = 'failure', cause }: RunnerErrorOptions) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'RunnerError';
    this.code = code;
    this.remedy = remedy;
    this.exit = exit;
  }

  get exitCode(): number {
    return exitCode(this.exit);
  }
}

/** The `code` of a system error (`ENOENT`, `EPIPE` ...), or undefined for any other value. */
export function errnoOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
