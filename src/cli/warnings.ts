import { type Problem, problemLine } from '../config/problems.ts';

/** Remarks of the configuration that stop nothing: one line each, with the place. */
export function printWarnings(warnings: readonly Problem[], print: (words: string) => void): void {
  for (const problem of warnings) print(`${problemLine(problem)} [${problem.code}]; ${problem.remedy}`);
}
