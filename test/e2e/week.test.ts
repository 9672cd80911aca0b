import { expect, it } from 'vitest';
import { play } from '../support/week/play.ts';
import { worldOf } from '../support/week/world.ts';

it('a week', async () => {
  const world = worldOf(Number(process.env.SEED ?? 0), Number(process.env.MOMENTS ?? 20));
  console.log(JSON.stringify(world));
  const played = await play(world);
  console.log(JSON.stringify({ ...played, wrong: undefined }));
  for (const w of played.wrong) console.log(w);
  expect(played.told).toEqual(played.meant);
  expect(played.wrong).toEqual([]);
}, 600_000);
