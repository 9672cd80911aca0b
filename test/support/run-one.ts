// A supervisor of its own: runs the specification that is given as JSON and prints its report. Extra keys: `ignorePatterns` is left out.
import { startRun } from '../../src/run/run.ts';
import type { RunSpec } from '../../src/run/types.ts';

const spec = JSON.parse(process.argv[2] ?? '') as RunSpec;
const report = await startRun({
  ...spec,
  ignorePatterns: [],
  onSpawned: (identity) => process.stdout.write(`${JSON.stringify(identity)}\n`),
});
process.stdout.write(`${JSON.stringify(report)}\n`);
