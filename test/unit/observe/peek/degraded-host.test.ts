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

it('what one round did is told until the next one did not, and a shared folder accuses nobody', () => {
  const left = { event: 'temp_left_behind', round_num: 3, mb: 70, files: 427, folder: '/home/a/tmp', whole: true };
  const end = (round_num: number) => ({ event: 'round_end', round_num });
  expect(words(left, end(3))).toEqual(['round 3 left 70 MB in 427 files in /home/a/tmp']);
  expect(words(left, end(3), end(4))).toEqual([]);
  expect(words({ ...left, folder: '/tmp', whole: false })).toEqual([
    'at least 70 MB in 427 files came into /tmp during round 3, not certainly from it',
  ]);
});

it('a hook and a notification that fail are told, each once, until they do not', () => {
  const hook = { event: 'hook_failed', hook_kind: 'post_round', hook_name: 'push-branch', error_message: 'exited with 4', round_num: 3 };
  const notify = { event: 'hook_failed', hook_kind: 'notify', hook_name: 'tell', error_message: 'exited with 1\nmore' };
  const end = (round_num: number) => ({ event: 'round_end', round_num });
  expect(words(end(3), hook, hook, notify)).toEqual([
    'notification by tell failed (exited with 1)',
    'post_round hook push-branch failed in round 3 (exited with 4)',
  ]);
  expect(words(end(3), hook, notify, end(4))).toEqual(['notification by tell failed (exited with 1)']);
  expect(words(end(3), hook, notify, end(4), end(5))).toEqual([]);
});
