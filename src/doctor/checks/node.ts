import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../util/package.ts';
import type { DoctorCheck } from '../check.ts';

export const node: DoctorCheck = {
  name: 'node',
  what: 'the version of Node that runs this program, against what it needs',
  run() {
    const needs = neededVersion();
    const facts = { version: process.versions.node, needs, path: process.execPath };
    const summary = `${process.version} at ${process.execPath}`;
    return isAtLeast(process.versions.node, needs)
      ? [{ status: 'ok', summary, facts }]
      : [{ status: 'failed', summary: `${summary}; ${needs} or newer is needed`, remedy: 'Install a newer Node.', facts }];
  },
};

/** `engines` of package.json is `>=x.y.z`. */
function neededVersion(): string {
  const { engines } = JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8'));
  return String(engines.node).replace(/^>=/, '');
}

/** Dotted numbers; what follows them is ignored (`2.39.5 (Apple Git-154)`). */
export function isAtLeast(version: string, needed: string): boolean {
  const numbers = (text: string) => (/\d+(\.\d+)*/.exec(text)?.[0] ?? '0').split('.').map(Number);
  const [have, want] = [numbers(version), numbers(needed)];
  for (let i = 0; i < want.length; i += 1) {
    const difference = (have[i] ?? 0) - (want[i] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return true;
}
