import { expect, it } from 'vitest';
import { openAccount } from '../../../../src/host/memory/account.ts';

function group(files: Record<string, string>) {
  return (path: string) => files[path.replace('/cg/', '')] ?? '';
}
const events = (oomKill: number) => `low 0\nhigh 2\nmax 5\noom 1\noom_kill ${oomKill}\n`;

it('scar 57: only what happened during the round is the round’s', () => {
  const files: Record<string, string> = { 'memory.events': events(41), 'memory.current': '100', 'memory.swap.current': '5' };
  const meter = openAccount('/cg', group(files));
  files['memory.current'] = '900';
  meter.look();
  Object.assign(files, { 'memory.events': events(42), 'memory.current': '200' });
  expect(meter.account()).toEqual({ folder: '/cg', peak: 900, swapPeak: 5, high: 0, max: 0, oom: 0, oomKills: 1 });
});

it('scar 57: without a first look, or with a group that is gone, nothing is told', () => {
  const files: Record<string, string> = {};
  const late = openAccount('/cg', group(files));
  files['memory.events'] = events(41);
  expect(late.account()).toBeNull();
  const gone = openAccount('/cg', group(files));
  delete files['memory.events'];
  expect(gone.account()).toBeNull();
});
