import { beforeAll, describe, expect, it } from 'vitest';
import { requirePart } from '../support/parts.ts';
import { roundsInVm, type VmResult } from '../support/vm-rounds.ts';

const MB = 1024 * 1024;
const RESULT = 'echo \'{"type":"result","is_error":false}\'';
const LIMIT = '[limits]\nround_memory_max_mb = 120\n';
const BOOT_MS = 300_000;
/** Fills so many megabytes, in a child. */
const fill = (megabytes: number) => `dd if=/dev/zero of=/dev/null bs=${megabytes}M count=1`;

const ROUNDS = {
  well: { toml: LIMIT, agent: `${fill(20)}; ${RESULT}`, args: ['serve', '--once'] },
  child: { toml: LIMIT, agent: `${fill(400)}; echo survived; ${RESULT}`, args: ['serve', '--max-rounds', '2'] },
  single: { toml: LIMIT, agent: fill(400), args: ['round'] },
  hidden: { toml: '', agent: `env -i setsid sh -c 'trap "" TERM; sleep 600' & sleep 0.2; ${RESULT}`, args: ['serve', '--once'] },
  namespace: { toml: `pid_namespace = true\n${LIMIT}`, agent: fill(400), args: ['serve', '--once'] },
};

/** In a virtual machine with a pure cgroup v2: an ordinary user, a control group that was delegated to it, the built command line. */
describe('a round’s memory in a control group with a memory controller', () => {
  let seen: Partial<Record<keyof typeof ROUNDS, VmResult>> = {};
  const of = (name: keyof typeof ROUNDS) => seen[name] as VmResult;
  const event = (name: keyof typeof ROUNDS, kind: string) => of(name).events.filter(({ event }) => event === kind);

  beforeAll(async () => {
    if (process.env.AGENT_RUNNER_TEST_VM) seen = await roundsInVm(ROUNDS, BOOT_MS);
  }, BOOT_MS + 20_000);

  it('is counted by the kernel, and a round that keeps within its bound notices nothing', (context) => {
    requirePart(context, 'vm');
    expect(of('well').exit, of('well').output).toBe(0);
    expect(event('well', 'agent_exit')).toMatchObject([{ outcome: 'ok' }]);
    const [memory] = event('well', 'round_cgroup_memory');
    expect(memory).toMatchObject({
      events_oom_kill_delta: 0,
      events_max_delta: 0,
      bounding_cgroup_path: expect.stringContaining('/agent-runner@well.service/round-'),
    });
    expect(memory?.memory_current_peak).toBeGreaterThan(20 * MB);
    expect(memory?.memory_current_peak).toBeLessThan(120 * MB);
    expect(event('well', 'round_reaped')).toMatchObject([{ survivors: [], leaf: { killed: false, removed: true } }]);
  });

  it('has guards that are real there', (context) => {
    requirePart(context, 'vm');
    const guard = (name: string) => of('well').guards.find((guard) => guard.name === name);
    expect(guard('control group')).toMatchObject({ current_state: 'active' });
    expect(guard('memory of a round')).toMatchObject({ current_state: 'active', value: '120 MB, held by the kernel' });
  });

  it('a child that wants more takes the whole round with it, and nothing else: the supervisor goes on with the next round', (context) => {
    requirePart(context, 'vm');
    expect(of('child').exit, of('child').output).toBe(0);
    const killed = { outcome: 'oom_killed', exit_code: -9 };
    expect(event('child', 'agent_exit')).toMatchObject([killed, killed]);
    const [memory] = event('child', 'round_cgroup_memory');
    expect(memory?.events_oom_kill_delta).toBeGreaterThan(0);
    expect(memory?.memory_current_peak).toBeLessThanOrEqual(121 * MB);
    expect(event('child', 'round_oom_killed')[0]).toMatchObject({ round_num: 1, oom_kill_delta: memory?.events_oom_kill_delta });
    expect(event('child', 'round_reaped')[0]).toMatchObject({ survivors: [], leaf: { removed: true } });
    expect(event('child', 'serve_stopped')).toMatchObject([{ exit_code: 0, rounds_completed: 2 }]);
    expect(of('child').left).toEqual(['supervisor']);
  });

  it('`round` bounds it as well', (context) => {
    requirePart(context, 'vm');
    expect(of('single').exit, of('single').output).toBe(1);
    expect(event('single', 'agent_exit')).toMatchObject([{ outcome: 'oom_killed' }]);
  });

  it('who hides from everything else is ended with the group', (context) => {
    requirePart(context, 'vm');
    const [reaped] = event('hidden', 'round_reaped');
    expect(reaped).toMatchObject({ survivors: [], leaf: { killed: true, removed: true } });
    expect(reaped?.escaped.map(({ name }: { name: string }) => name)).toContain('sleep');
    expect(event('hidden', 'agent_exit')).toMatchObject([{ outcome: 'ok_leftovers' }]);
  });

  it('the same within a PID namespace of an ordinary user', (context) => {
    requirePart(context, 'vm');
    expect(event('namespace', 'agent_exit'), of('namespace').output).toMatchObject([{ outcome: 'oom_killed' }]);
  });
});
