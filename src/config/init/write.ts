import { lstatSync, mkdirSync, readFileSync, renameSync, type Stats, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { errnoOf, messageOf, RunnerError } from '../../util/errors.ts';

const IGNORED = 'logs/';

export function lookAt(path: string): Stats | null {
  return lstatSync(path, { throwIfNoEntry: false }) ?? null;
}

/** Makes a file that must not be there yet; its folders too. */
export function writeNew(path: string, text: string): void {
  attempt(path, () => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text, { flag: 'wx' });
  });
}

/** Writes into a file that is there, as an editor would. */
export function writeIn(path: string, text: string): void {
  attempt(path, () => writeFileSync(path, text));
}

/** Puts `text` in the place of the file at `path` and returns where the old one lies now. On a failure the old one is back. */
export function replaceKeeping(path: string, text: string): string {
  const backup = freeName(`${path}.bak`);
  attempt(path, () => renameSync(path, backup));
  try {
    writeNew(path, text);
  } catch (error) {
    renameSync(backup, path);
    throw error;
  }
  return backup;
}

export function freeName(wanted: string): string {
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? wanted : `${wanted}.${number}`;
    if (lookAt(name) === null) return name;
  }
}

/** The lines of `.gitignore` that are missing among `wanted`; the file may be absent. */
export function missingIgnores(folder: string, wanted: readonly string[]): string[] {
  const lines = readIgnore(join(folder, '.gitignore')).split(/\r?\n/);
  return wanted.filter((line) => !lines.includes(line));
}

/** Appends lines to `.gitignore`, after whatever is there. */
export function appendIgnores(folder: string, lines: readonly string[]): void {
  const path = join(folder, '.gitignore');
  const before = readIgnore(path);
  const gap = before === '' || before.endsWith('\n') ? '' : '\n';
  attempt(path, () => writeFileSync(path, `${gap}${lines.join('\n')}\n`, { flag: 'a' }));
}

function readIgnore(path: string): string {
  return lookAt(path) === null ? '' : attempt(path, () => readFileSync(path, 'utf8'));
}

export const ignoreLines = (backup: boolean, configName: string) => (backup ? [IGNORED, `${configName}.bak*`] : [IGNORED]);

function attempt<T>(path: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw unwritable(path, errnoOf(error) ?? messageOf(error), error);
  }
}

export function unwritable(path: string, why: string, cause?: unknown): RunnerError {
  return new RunnerError({
    code: 'AR-INI-004',
    message: `${path} cannot be written: ${why}`,
    remedy: 'mend that and run this again; nothing was overwritten',
    cause,
  });
}
