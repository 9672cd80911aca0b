import { expect, it } from 'vitest';
import { changedKeys } from '../../../src/config/changed-keys.ts';
import { changedExecutables } from '../../../src/git/harden.ts';

it('scar 6: what only moved is no change, in a configuration', () => {
  const before = '[agent]\ncommand = ["x"]\nname = "a"\n[runtime]\nmax_rounds = 3\n';
  const moved = '[runtime]\n# a comment\nmax_rounds = 3\n\n[agent]\nname = "a"\ncommand = [\n  "x",\n]\n';
  expect(changedKeys(before, moved)).toEqual([]);
  expect(changedKeys(before, moved.replace('max_rounds = 3', 'max_rounds = 4'))).toEqual(['runtime.max_rounds']);
});

it('scar 6: nor in the list of what git would execute', () => {
  expect(changedExecutables('1 .git/config\n2 .git/hooks/x', '2 .git/hooks/x\n1 .git/config')).toEqual([]);
  expect(changedExecutables('1 .git/config\n2 .git/hooks/x', '3 .git/config\n2 .git/hooks/x\n4 new')).toEqual(['.git/config', 'new']);
});
