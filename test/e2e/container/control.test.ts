import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { contained, QUICK, RESULT } from '../../support/contained.ts';
import { requireEngine, userOf } from '../../support/engines.ts';

const INSIDE = '"$AGENT_RUNNER_LOG_DIR"';

describe.each(['docker', 'podman'] as const)('%s: the control directory', (name) => {
  it('.agent-done written inside stops the loop, as an ordinary user', async (context) => {
    const at = contained(requireEngine(context, name), {
      script: `cat >/dev/null; if [ "$AGENT_RUNNER_ROUND_NUM" = 2 ]; then echo "nothing left to do" > ${INSIDE}/.agent-done; fi; ${RESULT}`,
      options: ['--rm', '-i', '-u', '1000:1000'],
    });
    const serve = await at.run(['serve', '--max-rounds', '5'], { timeoutMs: 60_000 });
    expect(serve.code, serve.stderr).toBe(0);
    expect(at.outcomes()).toEqual(['ok', 'ok']);
    expect(at.events('agent_self_terminated')).toMatchObject([{ reason: 'nothing left to do' }]);
    expect(at.json('state/stopped.json')).toMatchObject({ reason: 'agent_done', exit_code: 0 });
  });

  it('scar 17: from inside nobody writes log_dir, the id or the accepted configuration, not even root', async (context) => {
    const engine = requireEngine(context, name);
    const at = contained(engine, {
      options: ['--rm', '-i', '-e', 'L', '-e', 'S'],
      script: attack(),
      agentTable: { env: { L: '.', S: '.' } },
    });
    // The paths are told to the agent: it need not guess.
    at.edit('L = "."', `L = ${JSON.stringify(at.logDir)}`);
    at.edit('S = "."', `S = ${JSON.stringify(join(at.env.HOME as string, '.local/state/agent-runner'))}`);
    at.git('commit', '-qam', 'paths');
    const serve = await at.run(['serve', '--max-rounds', '2'], { timeoutMs: 60_000 });
    expect(serve.code, serve.stderr).toBe(0);
    expect(at.outcomes()).toEqual(['ok', 'ok']);
    expect(at.log()).toContain('attack is over');
    expect(at.log()).not.toContain('REACHED');
    expect(readFileSync(join(at.logDir, 'state/owner'), 'utf8').trim()).toBe(at.owner());
    const digest = at.events('serve_started')[0]?.config_digest;
    expect(at.json('state/accepted-config.json')).toMatchObject({ accepted_digest: digest, suspect_digest: null });
    expect(at.events('round_start').map(({ config_digest }) => config_digest)).toEqual([digest, digest]);
    expect(at.has('.agent-done')).toBe(false);
    expect(await at.containers()).toEqual([]);
  });
});

/** Everything that a zealous agent might try with the paths in hand. `mkdir -p` makes them inside the container, where they hurt nobody. */
function attack(): string {
  const seen = 'for p in "$L" "$L/state/owner" "$L/round-in-flight.json" "$S"; do [ ! -e "$p" ] || echo "REACHED $p"; done';
  const forge = 'mkdir -p "$L/state" "$S"; for f in state/owner state/accepted-config.json .agent-done; do echo forged > "$L/$f"; done';
  const links = `ln -s "$L/state/owner" ${INSIDE}/.agent-done; echo forged > ${INSIDE}/.agent-done; echo forged > ${INSIDE}/cid; echo forged > ${INSIDE}/../cid`;
  return `cat >/dev/null; ${seen}; ${forge}; ${links}; echo attack is over; ${RESULT}`;
}

it.for([
  ['a link', `ln -s /etc/passwd ${INSIDE}/.agent-done`],
  ['a FIFO', `mkfifo ${INSIDE}/.agent-done`],
  ['8 KiB', `head -c 8192 /dev/zero > ${INSIDE}/.agent-done`],
])('%s in the place of .agent-done is not read and told', async ([, plant = ''], context) => {
  const at = contained(requireEngine(context, 'docker'), { script: `cat >/dev/null; ${plant}; ${RESULT}` });
  const round = await at.run(['round']);
  expect(round).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('.agent-done in the control directory of the container was not read'),
  });
  expect(at.has('.agent-done')).toBe(false);
});

describe('work inside the container', () => {
  const BUSY = 'i=0; while [ $i -lt 400000 ]; do i=$((i+1)); done';
  const build = (seconds: number) =>
    `end=$(($(date +%s)+${seconds})); while [ $(date +%s) -lt $end ]; do ${BUSY.replace('400000', '2000')}; done`;

  it('keeps the idle wall away while it uses CPU, and not when it only sleeps', async (context) => {
    const engine = requireEngine(context, 'docker');
    const runtime = { idle_timeout_s: 3, round_timeout_s: 40 };
    const busy = contained(engine, { script: `cat >/dev/null; ${build(8)}; ${RESULT}`, runtime });
    const idle = contained(engine, { script: 'cat >/dev/null; sleep 300', runtime });
    await Promise.all([busy.run(['round'], { timeoutMs: 60_000 }), idle.run(['round'], { timeoutMs: 60_000 })]);
    expect(busy.outcomes()).toEqual(['ok']);
    expect(idle.outcomes()).toEqual(['idle']);
    expect(await idle.containers()).toEqual([]);
  });

  it('keeps the grace after the result away while it uses CPU, and not when it only sleeps', async (context) => {
    const engine = requireEngine(context, 'docker');
    const runtime = { max_grace_after_result_s: 1, round_timeout_s: 40 };
    const busy = contained(engine, { script: `cat >/dev/null; ${RESULT}; ${build(5)}; echo built > built.txt; sleep 300`, runtime });
    const idle = contained(engine, { script: `cat >/dev/null; ${RESULT}; sleep 300`, runtime });
    await Promise.all([busy.run(['round'], { timeoutMs: 60_000 }), idle.run(['round'], { timeoutMs: 60_000 })]);
    for (const at of [busy, idle]) expect(at.outcomes()).toEqual(['grace_kill']);
    expect(busy.events('round_grace_extended')).toMatchObject([{ live_children: [] }]);
    expect(idle.events('round_grace_extended')).toEqual([]);
    expect(busy.git('stash', 'show', '--include-untracked', '--name-only')).toContain('built.txt');
    for (const at of [busy, idle]) expect(await at.containers()).toEqual([]);
  });
});

it('podman rootless, with an ordinary user as supervisor: rounds, .agent-done, a deaf container', async (context) => {
  const engine = requireEngine(context, 'podman rootless');
  const user = process.env.AGENT_RUNNER_TEST_PODMAN_USER ?? '';
  const { uid, home } = userOf(user);
  const at = contained(engine, {
    before: ['podman', '--runtime', 'runc', '--cgroup-manager', 'cgroupfs'],
    options: ['--rm', '-i', '--userns=keep-id'],
    script: `cat >/dev/null; case $AGENT_RUNNER_ROUND_NUM in 1) ${RESULT};; 2) trap "" TERM; echo started; while :; do sleep 0.2; done;; *) echo enough > ${INSIDE}/.agent-done; ${RESULT};; esac`,
    runtime: { round_timeout_s: 6 },
    agentTable: QUICK,
  });
  at.handTo(user);
  const wrapper = ['runuser', '-u', user, '--'];
  const env = { HOME: home, XDG_RUNTIME_DIR: `/run/user/${uid}`, XDG_STATE_HOME: join(at.folder, 'home/state') };
  const serve = await at.run(['serve', '--max-rounds', '5'], { wrapper, env, timeoutMs: 80_000 });
  expect(serve.code, serve.stderr).toBe(0);
  expect(at.outcomes()).toEqual(['ok', 'timeout', 'ok']);
  expect(at.events('agent_self_terminated')).toMatchObject([{ reason: 'enough' }]);
  expect(at.events('round_container_orphan_risk')).toMatchObject([{ round_num: 2, stop_ok: true }]);
  expect(await at.containers()).toEqual([]);
});
