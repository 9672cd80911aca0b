import type { Problem } from '../config/problems.ts';

/** Remarks of the configuration that stop nothing: one line each, with the place. */
export function printWarnings(warnings: readonly Problem[], print: (words: string) => void): void {
  for (const { file, line, message, remedy, code } of warnings)
    print(`${file}:${line}: ${message} [${code}]${remedy ? `; ${remedy}` : ''}`);
}
