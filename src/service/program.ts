import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { RunnerError } from '../util/errors.ts';
import { packageRoot } from '../util/package.ts';

/** This Node and our built program: what a service is started with. Throws AR-SVC-009 when it is not built. */
export function ownProgram(): { node: string; script: string } {
  const script = join(packageRoot(), 'dist', 'main.js');
  if (existsSync(script)) return { node: process.execPath, script };
  throw new RunnerError({ code: 'AR-SVC-009', message: `${script} is not there`, remedy: 'build it first: npm run build' });
}
