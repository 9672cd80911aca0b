#!/usr/bin/env node
import { version } from '../util/package.ts';

// `--version` is asked by scripts and smoke tests, often: it is answered before anything else is loaded.
const argv = process.argv.slice(2);
const end = argv.indexOf('--');
const options = end === -1 ? argv : argv.slice(0, end);

if (options.includes('--version')) {
  process.stdout.on('error', () => {});
  process.stdout.write(`agent-runner ${version()}\n`);
} else {
  const { run } = await import('./run.ts');
  process.exitCode = await run(argv);
}
