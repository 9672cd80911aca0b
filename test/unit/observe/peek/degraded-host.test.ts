import { expect, it } from 'vitest';
import { degradedBy } from '../../../../src/observe/peek/degraded.ts';
import { NO_STREAKS } from '../../../../src/state/serve-state.ts';

const words = (...events: object[]) => degradedBy([{ event: 'serve_started' }, ...events] as Record<string, unknown>[], NO_STREAKS, 5);
const critical = { event: 'round_mem_critical_sample' };
const low = { event: 'disk_low', message: 'the disk of TMPDIR (/tmp) is 93 % full, 900 MB are free' };

it('a machine in trouble is told while it lasts, and no longer', () => {
  expect(words(critical)).toEqual(['the memory of the host is critical while the round runs']);
  expect(words(critical, { event: 'round_end' })).toEqual([]);
  expect(words(critical, { event: 'round_end' }, critical)).toHaveLength(1);
  expect(words(low)).toEqual([low.message]);
  expect(words(low, { event: 'disk_recovered' })).toEqual([]);
  expect(words({ event: 'memory_high_engaged' }, { event: 'memory_high_released' })).toEqual([]);
});
