import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { offerToOomKiller } from '../../src/process/oom-score.ts';
import { project } from '../support/project.ts';
import { until } from '../support/wait.ts';

it('the OOM killer is offered the agent and what it starts, never the supervisor', async () => {
  const at = project({ agent: 'cat >/dev/null; sleep 0.3; sh -c \'echo "score $(cat /proc/self/oom_score_adj)"\'; sleep 60' });
  const serve = at.start(['serve']);
  await until('the agent has looked', () => at.log().includes('score'));
  expect(at.log()).toContain('score 500');
  expect(readFileSync(`/proc/${serve.pid}/oom_score_adj`, 'utf8')).toBe(readFileSync('/proc/self/oom_score_adj', 'utf8'));
});

it('a process that is gone is no error', () => {
  expect(offerToOomKiller(2 ** 22 - 3)).toBe(false);
});
