import { expect, it } from 'vitest';
import { inScratch } from '../../../src/drill/scratch-config.ts';

it.each([
  ['/srv/p:/work:Z', '/s:/work:Z'],
  ['/srv/p', '/s'],
  ['type=bind,source=/srv/p,target=/srv/p', 'type=bind,source=/s,target=/s'],
  ['/srv/p/sub:/sub', '/s/sub:/sub'],
  ['/srv/p-data:/data', '/srv/p-data:/data'],
  ['/srv/p.old:/old', '/srv/p.old:/old'],
  ['{work_dir}:/work', '{work_dir}:/work'],
  ['--rm', '--rm'],
])('a prefix with %j leads the scripted agent to %j', (token, changed) => {
  expect(inScratch(token, '/srv/p', '/s')).toBe(changed);
});

it('a path with characters that mean something elsewhere', () => {
  expect(inScratch('/srv/p+(1).x:/w', '/srv/p+(1).x', '/s$&')).toBe('/s$&:/w');
});
