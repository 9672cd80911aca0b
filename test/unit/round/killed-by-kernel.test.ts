import { expect, it } from 'vitest';
import { killedByKernel } from '../../../src/round/killed-by-kernel.ts';

const group = (oomKills: number) => ({ folder: '/cg', peak: 0, swapPeak: 0, high: 0, max: 0, oom: 0, oomKills });
const run = (exitCode: number | null, signal: NodeJS.Signals | null = null, oomKills: number | null = null) => ({
  end: 'exit' as const,
  exitCode,
  signal,
  leafMemory: oomKills === null ? null : { ...group(oomKills), swapPeak: null },
});

it.each([
  ['SIGKILL and a record in the shared group', run(null, 'SIGKILL'), group(1), true],
  ['137 of a shell, and a record', run(137), group(1), true],
  ['a neighbour was killed, the agent exited by itself', run(0), group(1), false],
  ['a neighbour was killed, the agent failed', run(1), group(3), false],
  ['SIGKILL of somebody, no record', run(null, 'SIGKILL'), group(0), false],
  ['no group to ask', run(null, 'SIGKILL'), null, false],
  ['a group of its own has the word', run(null, 'SIGKILL', 0), group(4), false],
  ['a record in a group of its own', run(null, 'SIGKILL', 1), null, true],
  ['SIGTERM is nobody’s out-of-memory kill', run(null, 'SIGTERM', 1), group(1), false],
])('scar 58: %s', (_name, report, account, killed) => {
  expect(killedByKernel(report, account)).toBe(killed);
  expect(killedByKernel({ ...report, end: 'memory' as never }, account)).toBe(false);
});
