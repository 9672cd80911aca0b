import { beforeAll, describe, expect, it } from 'vitest';
import { requirePart } from '../support/parts.ts';
import { roundsInVm, type VmResult } from '../support/vm-rounds.ts';

const RESULT = 'echo \'{"type":"result","is_error":false}\'';
const BOOT_MS = 300_000;
/** A child that takes so many megabytes every 50 ms, for ever: slowly enough for a machine that is emulated, and busy with other tests. */
const grow = (mb: number, deaf = '') =>
  `${process.execPath} -e '${deaf}const held=[];setInterval(()=>held.push(Buffer.alloc(${mb}<<20,1)),50)' & wait`;
const HELD = `dd if=/dev/zero of=/tmp/held bs=1M count=200 2>/dev/null; sleep 11.5; ${RESULT}`;

const ROUNDS = {
  fast: { toml: '', agent: `${grow(2)}; ${RESULT}`, args: ['serve', '--once'] },
  deaf: { toml: '', agent: `${grow(2, 'process.on("SIGTERM",()=>{});')}; ${RESULT}`, args: ['round'] },
};
/** Without PSI, and with thresholds that make every look a warning. */
const BRAKED = {
  brake: {
    toml: '[monitor.host_health]\nmem_free_low_mb = 90000\nmem_avail_min_mb = 90000\nbrake_memory_high = true\nbrake_warning_consecutive_samples = 1\n',
    agent: HELD,
    args: ['serve', '--once'],
  },
};

describe('memory in a machine of 640 MB', () => {
  let seen: Partial<Record<keyof typeof ROUNDS, VmResult>> = {};
  const of = (name: keyof typeof ROUNDS) => seen[name] as VmResult;
  const event = (name: keyof typeof ROUNDS, kind: string) => of(name).events.filter(({ event }) => event === kind);

  beforeAll(async () => {
    if (process.env.AGENT_RUNNER_TEST_VM) seen = await roundsInVm(ROUNDS, BOOT_MS, { memoryMb: 640 });
  }, BOOT_MS + 20_000);

  it('reference case 30: a child that grows is ended before the machine suffers: the kernel kills nobody, nobody is left', (context) => {
    requirePart(context, 'vm');
    expect(event('fast', 'agent_exit'), of('fast').output).toMatchObject([{ outcome: 'mem_terminated' }]);
    const [ended] = event('fast', 'round_mem_terminated');
    expect(ended).toMatchObject({ severity: 'critical', signal: 'exhaustion', tier: 'exhaustion' });
    expect(ended?.consecutive).toBeGreaterThanOrEqual(3);
    expect(ended?.context).toMatchObject({ largest_name: expect.stringMatching(/node|MainThread/), largest_mb: expect.any(Number) });
    expect(event('fast', 'round_cgroup_memory')).toMatchObject([{ events_oom_kill_delta: 0 }]);
    expect(event('fast', 'round_reaped')).toMatchObject([{ survivors: [] }]);
    expect(of('fast').oomKills).toBe(0);
    expect(event('fast', 'host_cgroup_memory_limit')).toMatchObject([
      { memory_max: null, defer: false, cgroup_delegated: true, advisory: null },
    ]);
  });

  it('one that ignores SIGTERM is killed at once when nothing is left: the grace is cut short', (context) => {
    requirePart(context, 'vm');
    expect(event('deaf', 'agent_exit'), of('deaf').output).toMatchObject([{ outcome: 'mem_terminated' }]);
    const [reaped] = event('deaf', 'round_reaped');
    expect(reaped?.survivors).toEqual([]);
    // Its own grace would be 5 s.
    expect(reaped?.duration_ms).toBeLessThan(5_000);
  });
});

describe('the soft brake', () => {
  it('holds a round near what it uses while memory is short, and lets go at its end', { timeout: BOOT_MS + 20_000 }, async (context) => {
    requirePart(context, 'vm');
    const { brake } = await roundsInVm(BRAKED, BOOT_MS, { kernel: 'psi=0' });
    expect(
      brake.events.filter(({ event }) => event.startsWith('memory_high')).map(({ event }) => event),
      brake.output,
    ).toEqual(['memory_high_engaged', 'memory_high_released']);
    expect(brake.events.filter(({ event }) => event === 'agent_exit')).toMatchObject([{ outcome: 'ok' }]);
    expect(brake.guards.find(({ name }) => name === 'memory brake')).toMatchObject({ current_state: 'active' });
    expect(brake.guards.find(({ name }) => name === 'memory gate')?.value).toContain('no pressure');
  });
});
