import { closeSync, fstatSync } from 'node:fs';
import { isatty } from 'node:tty';
import { styleText } from 'node:util';
import { errnoOf } from '../util/errors.ts';
import { harmless } from '../util/harmless.ts';

/**
 * `agent-runner peek | head -1` closes our stdout early: EPIPE is the reader's right and stays silent. Any other error of stdout (a full
 * disk) means that the answer did not arrive.
 */
export function quietStreams(): void {
  process.stdout.on('error', (error) => {
    if (errnoOf(error) !== 'EPIPE') process.exitCode = 1;
  });
  process.stderr.on('error', () => {});
  process.on('exit', letGoOfDeadTerminal);
}

/**
 * Node sets the terminal back to how it found it, and aborts (SIGABRT instead of our exit code) when that fails with EIO because the
 * terminal has hung up. It leaves alone what is closed.
 */
function letGoOfDeadTerminal(): void {
  for (const descriptor of [0, 1, 2]) {
    try {
      if (fstatSync(descriptor).isCharacterDevice() && !isatty(descriptor)) closeSync(descriptor);
    } catch {
      // Closed already.
    }
  }
}

export function print(text: string): void {
  printLines(harmless(text));
}

export function printJson(value: unknown): void {
  // As it is: a program reads it, and control characters are escaped in it.
  printLines(JSON.stringify(value, null, 2));
}

/** A remark for the person at the terminal; stdout stays for what was asked. */
export function note(message: string): void {
  process.stderr.write(harmless(`agent-runner: ${message}\n`));
}

function printLines(text: string): void {
  process.stdout.write(text.endsWith('\n') ? text : `${text}\n`);
}

type Style = (format: 'bold' | 'dim' | 'red' | 'green' | 'yellow', text: string) => string;

/** Colours for stdout: only on a terminal, never with `--no-color` or NO_COLOR (no-color.org: set and not empty). */
export function styling(color: boolean): Style {
  const wanted = color && process.stdout.isTTY === true && !process.env.NO_COLOR && process.env.TERM !== 'dumb';
  // Checked here already, with rules that hold for every Node from 20 on.
  return (format, text) => (wanted ? styleText(format, text) : text);
}
