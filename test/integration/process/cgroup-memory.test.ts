import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { requirePart } from '../../support/parts.ts';
import { runInVm } from '../../support/vm.ts';

const MB = 1024 * 1024;

test('on control groups of version 2 a round has its own memory bound: it ends the round as a whole and not the supervisor', async (context) => {
  requirePart(context, 'vm');
  const saw = await runInVm(fileURLToPath(new URL('../../scripts/leaf-memory.ts', import.meta.url)));
  expect(saw).toMatchObject({
    facts: {
      version: 'v2',
      path: '/system.slice/agent-runner@shop.service',
      delegated: true,
      memory: { max: 512 * MB, high: null, swapMax: null },
    },
    samePath: true,
    controllers: ['memory', 'pids'],
    self: '0::/system.slice/agent-runner@shop.service/supervisor',
    fits: { limited: true, end: { code: 0 }, killed: true, memory: { oomKills: 0, oom: 0 } },
    bursts: { limited: true, killed: true },
  });
  const { fits, bursts } = saw as Record<
    'fits' | 'bursts',
    { output: string; end: unknown; leftBefore: number; killMs: number; memory: { peak: number; oomKills: number } }
  >;
  expect(fits.output).toContain('done');
  // A background process of the agent was left, and went with the leaf.
  expect(fits.leftBefore).toBeGreaterThan(0);
  expect(fits.killMs).toBeLessThan(500);
  expect(fits.memory.peak).toBeGreaterThan(20 * MB);
  expect(fits.memory.peak).toBeLessThan(200 * MB);
  // Everybody of the round, the shell that waited too: half a tree would go on with half its work.
  expect(bursts.end).toEqual({ code: null, signal: 'SIGKILL' });
  expect(bursts.output).toBe('');
  expect(bursts.memory.oomKills).toBeGreaterThan(0);
  expect(bursts.memory.peak).toBeGreaterThan(100 * MB);
});
