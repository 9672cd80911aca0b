// Prints the sum of a vitest JSON report as the one line `N passed, N failed, N skipped`; fails when there is no report or no test ran.
import { readFileSync } from 'node:fs';

const text = readFileSync(process.argv[2], 'utf8');
const report = text === '' ? { numPassedTests: 0, numFailedTests: 1, numPendingTests: 0, numTodoTests: 0 } : JSON.parse(text);
const { numPassedTests: passed, numFailedTests: failed, numPendingTests: pending, numTodoTests: todo } = report;
console.log(`${passed} passed, ${failed} failed, ${pending + todo} skipped`);
process.exitCode = passed > 0 && failed === 0 ? 0 : 1;
