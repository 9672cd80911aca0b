import { expect, it, onTestFinished } from 'vitest';
import { pruneSnapshots } from '../../../src/git/prune-snapshots.ts';
import { snapshotTree } from '../../../src/git/snapshot.ts';
import { scratchRepo } from '../../support/repo.ts';

it('the twenty newest contents stay, each once; other refs are not touched', async () => {
  const at = scratchRepo();
  onTestFinished(() => at.close());
  const names = () => at.git('for-each-ref', '--format=%(refname:lstrip=2)', 'refs/agent-runner/').split('\n');
  const keep = (name: string, text: string) => {
    at.write('dirt.txt', text);
    at.git('add', 'dirt.txt');
    at.git('update-ref', `refs/agent-runner/${name}`, at.git('commit-tree', at.git('write-tree'), '-m', name));
  };
  at.write('dirt.txt', 'somebody asked for this one');
  await snapshotTree(at.repo, 'by-hand');
  for (let i = 0; i < 22; i += 1) keep(`preexisting-20261101T0000${10 + i}`, `content ${i}`);
  // A serve that is restarted takes the same again and again.
  for (let i = 0; i < 3; i += 1) keep(`preexisting-20261102T0000${10 + i}`, 'the same');

  expect(await pruneSnapshots(at.repo, 'preexisting-')).toHaveLength(5);
  const left = names();
  expect(left).toHaveLength(21);
  expect(left).toContain('by-hand');
  expect(left).toContain('preexisting-20261102T000012');
  expect(left).not.toContain('preexisting-20261102T000011');
  expect(left).toContain('preexisting-20261101T000013');
  expect(left).not.toContain('preexisting-20261101T000012');
  expect(await pruneSnapshots(at.repo, 'preexisting-')).toEqual([]);
});
