import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { WELL } from '../support/fake-agents.ts';
import { requirePart } from '../support/parts.ts';
import { project } from '../support/project.ts';
import { mountTmpfs } from '../support/tmpfs.ts';
import { until } from '../support/wait.ts';

it('a round that fills its temporary folder is ended, the next one waits for room, and nothing is removed for anybody', async (context) => {
  requirePart(context, 'tmpfs');
  const fills = 'dd if=/dev/zero of="$TMPDIR/junk" bs=1M count=100 2>/dev/null; sleep 60';
  const at = project({ agent: `[ $AGENT_RUNNER_ROUND_NUM -gt 1 ] || { ${fills}; }; ${WELL}` });
  await mountTmpfs(String(at.env.TMPDIR), '64m');
  const junk = join(String(at.env.TMPDIR), 'junk');

  const serve = at.start(['serve', '--max-rounds', '2']);
  await at.event('agent_exit');
  expect(at.outcomes()).toEqual(['environment']);
  await until('the next one waits', () => at.json('state/wait.json')?.reason === 'disk');
  expect(serve.stderr()).toContain('the round was ended before it filled the disk');
  expect(at.events('disk_low').at(-1)).toMatchObject({ of: 'TMPDIR', severity: 'critical', round_num: 1 });
  const { stdout } = await at.run(['peek']);
  expect(stdout).toMatch(/^Waiting until there is room again: a disk is full \(the disk of TMPDIR/);
  expect(existsSync(junk)).toBe(true);

  rmSync(junk);
  await at.run(['wake']);
  expect((await serve.ended).code).toBe(0);
  expect(at.outcomes()).toEqual(['environment', 'ok']);
  expect(at.events('disk_recovered')).toHaveLength(1);
  expect(at.json('state/streaks.json')).toMatchObject({ crash: 0, environment: 0 });
});
