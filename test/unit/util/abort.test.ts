import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import { withEither } from '../../../src/util/abort.ts';

it('is aborted with the first of its sources, and with its reason', async () => {
  const [one, other] = [new AbortController(), new AbortController()];
  const seen = await withEither([one.signal, other.signal], async (either) => {
    expect(either.aborted).toBe(false);
    other.abort('stopped');
    one.abort('late');
    return either.reason;
  });
  expect(seen).toBe('stopped');
});

it('is aborted from the start when a source is', async () => {
  const done = AbortSignal.abort('before');
  expect(await withEither([new AbortController().signal, done], async ({ aborted, reason }) => [aborted, reason])).toEqual([
    true,
    'before',
  ]);
});

it('leaves nothing on a source that lives on, whatever the work does', async () => {
  const { signal } = new AbortController();
  await withEither([signal], async () => {});
  await expect(withEither([signal], () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});
