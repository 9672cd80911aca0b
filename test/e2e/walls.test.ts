import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { project } from '../support/project.ts';

/** Says its result and stays, as CLIs do whose helper keeps the pipe open. */
const RESULT = 'echo \'{"type":"result","is_error":false}\'';

describe('the hard wall', () => {
  it('scar 2: ends a round on time however busy its agent is, and it counts as no failure', async () => {
    const at = project({ agent: 'cat >/dev/null; while :; do echo working; sleep 0.1; done', runtime: { round_timeout_s: 1 } });
    const { code } = await at.run(['round']);
    expect(code).toBe(0);
    expect(at.outcomes()).toEqual(['timeout']);
    expect(at.events('agent_exit')[0]).toMatchObject({ timed_out: true, exit_cause: 'timeout' });
    expect(at.events('round_timeout_kill')).toHaveLength(1);
    expect(at.agents()).toEqual([]);
  });

  it('reference case 7, field bug 13: an agent deaf to TERM dies of KILL, with everyone it started', async () => {
    const at = project({
      agent: 'cat >/dev/null; trap "" TERM; setsid sh -c \'trap "" TERM; sleep 300 & wait\' & sleep 300 & while :; do sleep 1; done',
      runtime: { round_timeout_s: 1 },
    });
    await at.run(['round']);
    const [receipt] = at.events('round_reaped');
    expect(receipt?.survivors).toEqual([]);
    expect(receipt?.escaped.length).toBeGreaterThanOrEqual(1);
    expect(at.agents()).toEqual([]);
  });
});

describe('the idle wall', () => {
  it('ends a round that is silent, uses no CPU and changes no file', async () => {
    const at = project({ agent: 'cat >/dev/null; echo started; sleep 300', runtime: { idle_timeout_s: 2, round_timeout_s: 60 } });
    const { code } = await at.run(['round']);
    expect(code).toBe(0);
    expect(at.outcomes()).toEqual(['idle']);
    expect(at.events('round_idle_kill')).toHaveLength(1);
  });

  it('spares one that is silent but changes files', async () => {
    const at = project({
      agent: 'cat >/dev/null; for i in 1 2 3 4 5 6 7 8 9 10; do echo $i > progress.txt; sleep 0.5; done; echo done',
      runtime: { idle_timeout_s: 2, round_timeout_s: 60 },
    });
    await at.run(['round']);
    expect(at.outcomes()).toEqual(['ok']);
  });
});

describe('the grace after the result', () => {
  it('field bug 1: a round whose helper keeps the pipe open ends as a success, the helper with it', async () => {
    const at = project({ agent: `cat >/dev/null; sleep 300 & ${RESULT}; exit 0` });
    const { code } = await at.run(['round']);
    expect(code).toBe(0);
    expect(at.outcomes()).toEqual(['ok_leftovers']);
    expect(at.agents()).toEqual([]);
  });

  it('field bug 2: an agent that stays after its result with nobody working is ended', async () => {
    const at = project({
      agent: `cat >/dev/null; ${RESULT}; exec sleep 300`,
      runtime: { max_grace_after_result_s: 1, round_timeout_s: 60 },
    });
    const { code } = await at.run(['round']);
    expect(code).toBe(0);
    expect(at.outcomes()).toEqual(['grace_kill']);
    expect(at.events('round_grace_kill')).toHaveLength(1);
    expect(at.events('agent_exit')[0]).toMatchObject({ exit_cause: 'grace_kill', timed_out: true });
  });

  it('scar 68: a build that still works keeps the round until the hard wall, told once', async () => {
    const at = project({
      agent: `cat >/dev/null; ${RESULT}; sh -c 'while :; do :; done'`,
      runtime: { max_grace_after_result_s: 1, round_timeout_s: 5 },
    });
    await at.run(['round']);
    expect(at.outcomes()).toEqual(['timeout']);
    expect(at.events('round_grace_extended')).toHaveLength(1);
    expect(JSON.stringify(at.events('round_grace_extended')[0])).not.toContain('while');
  });

  it('scar 68: a helper that matches an ignore pattern does not count as work', async () => {
    const at = project({
      agent: `cat >/dev/null; ${RESULT}; sh -c 'sleep 300; : snapshot-shell'`,
      runtime: { max_grace_after_result_s: 1, round_timeout_s: 60, grace_kill_ignore_patterns: ['snapshot-shell', 'sleep 300'] },
    });
    await at.run(['round']);
    expect(at.outcomes()).toEqual(['grace_kill']);
  });
});

it('field bug 6: an agent that reads its standard input to the end gets an end, by argument and by stdin', async () => {
  for (const agentTable of [{}, { prompt_delivery: 'argv', prompt_arg_template: ['{prompt}'] }]) {
    const at = project({ agent: 'wc -c; echo end', agentTable, runtime: { round_timeout_s: 15 } });
    await at.run(['round']);
    expect(at.outcomes()).toEqual(['ok']);
    expect(readFileSync(join(at.logDir, 'round-current.log'), 'utf8')).toContain('end');
  }
});
