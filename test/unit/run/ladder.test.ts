import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { endMembers, type LadderOptions } from '../../../src/run/ladder.ts';
import { createCensus } from '../../../src/run/members.ts';
import { type Behaviour, simulate } from '../../support/simulated.ts';

type World = ReturnType<typeof simulate>;

function climb(world: World, leader: number, changes: Partial<LadderOptions> = {}) {
  const { clock, table } = world;
  const census = createCensus({
    leader: world.identity(leader),
    mark: { name: 'MARK', value: 'x' },
    startedAfterTicks: world.identity(leader).startTicks,
    group: 'ours',
    table,
    sleep: clock.sleep,
  });
  return endMembers({ census, table, clock, leaveMs: 0, firstSignal: 'SIGTERM', graceMs: 5_000, isHelper: () => false, ...changes });
}

const startLeader = (world: World, behaviour: Behaviour = {}) => world.add(world.ownPid, 'session', { marked: true, ...behaviour });

describe('the ladder', () => {
  it('asks politely, waits no longer than needed, and looks at the whole table three times', async () => {
    const world = simulate();
    const leader = startLeader(world, { diesAfter: 1_000 });
    const child = world.add(leader, 'joins', { diesAfter: 2_000 });
    const receipt = await climb(world, leader);
    expect(world.signalsOf(leader)).toEqual(['SIGTERM']);
    expect(world.signalsOf(child)).toEqual(['SIGTERM']);
    expect(receipt).toMatchObject({ members: [{ pid: leader }, { pid: child }], escaped: [], leftovers: [{ pid: child }], survivors: [] });
    expect(receipt.durationMs).toBeGreaterThanOrEqual(2_000);
    expect(receipt.durationMs).toBeLessThan(2_100);
    expect(world.looks()).toBeLessThanOrEqual(3);
  });

  it('with nobody alive does nothing', async () => {
    const world = simulate();
    const leader = startLeader(world);
    world.end(leader);
    expect(await climb(world, leader, { leaveMs: 500 })).toMatchObject({ members: [], durationMs: 0 });
    expect(world.looks()).toBe(1);
  });

  it('lets helpers leave by themselves', async () => {
    const world = simulate();
    const leader = startLeader(world);
    const helper = world.add(leader, 'joins', { leavesAt: 300 });
    world.end(leader);
    const receipt = await climb(world, leader, { leaveMs: 500 });
    expect(receipt).toMatchObject({ members: [{ pid: helper }], signalled: [], leftovers: [] });
    expect(receipt.durationMs).toBeLessThan(500);
  });

  it('who takes no signal of ours is ended by other means, once, without waiting for the grace', async () => {
    const world = simulate();
    const leader = startLeader(world, { foreign: true });
    let asked = 0;
    const endOtherwise = async () => {
      asked++;
      world.advance(1_000);
      world.end(leader);
    };
    const receipt = await climb(world, leader, { endOtherwise });
    expect(receipt).toMatchObject({ signalled: [], survivors: [] });
    expect(receipt.durationMs).toBeLessThan(1_200);
    expect(asked).toBe(1);
  });

  it('other means that fail change nothing else, and nobody who takes signals is ended by them', async () => {
    const world = simulate();
    const leader = startLeader(world, { foreign: true });
    const receipt = await climb(world, leader, { endOtherwise: async () => {} });
    expect(receipt).toMatchObject({ survivors: [{ pid: leader }] });
    expect(receipt.durationMs).toBeLessThan(16_000);

    const own = simulate();
    let asked = 0;
    const deaf = startLeader(own, { diesAfter: null });
    const endOtherwise = async () => {
      asked++;
    };
    await climb(own, deaf, { endOtherwise });
    expect(asked).toBe(0);
  });

  it('kills what ignores it when the grace is over, and not a moment earlier', async () => {
    const world = simulate();
    const leader = startLeader(world, { diesAfter: null });
    const receipt = await climb(world, leader, { graceMs: 3_000 });
    expect(world.signalsOf(leader)).toEqual(['SIGTERM', 'SIGKILL']);
    expect(receipt.durationMs).toBeGreaterThanOrEqual(3_000);
    expect(receipt.durationMs).toBeLessThan(3_100);
  });

  it('gives up after ten seconds of killing and names the survivor', async () => {
    const world = simulate();
    const leader = startLeader(world, { stuck: true });
    const receipt = await climb(world, leader, { graceMs: 1_000 });
    expect(receipt.survivors).toEqual([{ pid: leader, name: `p${leader}` }]);
    expect(receipt.durationMs).toBeLessThan(11_600);
    expect(world.looks()).toBeLessThan(40);
  });

  it('a member of another user is a survivor that was not signalled', async () => {
    const world = simulate();
    const leader = startLeader(world, { foreign: true });
    expect(await climb(world, leader, { graceMs: 100 })).toMatchObject({ signalled: [], survivors: [{ pid: leader }] });
  });

  describe('with a control group', () => {
    /** Holds these pids as long as they live; killing it ends them all. */
    function group(world: World, inside: number[]) {
      let kills = 0;
      const members = () => inside.filter((pid) => world.living().includes(pid));
      const kill = () => {
        kills++;
        for (const pid of members()) world.end(pid);
        return true;
      };
      return { leaf: { folder: '/cg', members, kill }, kills: () => kills };
    }

    it('kills it as one when the grace is over, and writes down who was in it', async () => {
      const world = simulate();
      const leader = startLeader(world, { diesAfter: null });
      const child = world.add(leader, 'session', { diesAfter: null });
      const { leaf, kills } = group(world, [leader, child]);
      const receipt = await climb(world, leader, { leaf, graceMs: 1_000 });
      expect(kills()).toBe(1);
      expect(receipt).toMatchObject({ survivors: [], leaf: { folder: '/cg', killed: true, removed: false } });
      expect(receipt.signalled.map(({ pid }) => pid)).toEqual([leader, child]);
      expect([world.signalsOf(leader), world.signalsOf(child)]).toEqual([['SIGTERM'], ['SIGTERM']]);
    });

    it('leaves it alone when everyone went', async () => {
      const world = simulate();
      const leader = startLeader(world);
      const { leaf, kills } = group(world, [leader]);
      expect(await climb(world, leader, { leaf })).toMatchObject({ survivors: [], leaf: { killed: false } });
      expect(kills()).toBe(0);
    });

    it('that cannot be killed as one falls back to a signal for each', async () => {
      const world = simulate();
      const leader = startLeader(world, { diesAfter: null });
      const leaf = { folder: '/cg', members: () => [leader], kill: () => false };
      const receipt = await climb(world, leader, { leaf, graceMs: 100 });
      expect(receipt).toMatchObject({ survivors: [], leaf: { killed: false } });
      expect(world.signalsOf(leader)).toEqual(['SIGTERM', 'SIGKILL']);
    });
  });

  it('continues who is stopped', async () => {
    const world = simulate();
    const leader = startLeader(world);
    const stopped = world.add(leader, 'joins', { stopped: true });
    await climb(world, leader);
    expect(world.signalsOf(stopped)).toEqual(['SIGTERM', 'SIGCONT']);
  });

  it('after the leader left on its own signal, the others get SIGTERM', async () => {
    const world = simulate();
    const leader = startLeader(world, { diesAfter: 700 });
    const deaf = world.add(leader, 'joins', { diesAfter: null });
    await climb(world, leader, { firstSignal: 'SIGINT', graceMs: 2_000 });
    expect(world.signalsOf(leader)).toEqual(['SIGINT']);
    expect(world.signalsOf(deaf)).toEqual(['SIGINT', 'SIGTERM', 'SIGKILL']);
  });

  it('a helper that had to be ended is no leftover', async () => {
    const world = simulate();
    const leader = startLeader(world);
    const helper = world.add(leader, 'joins');
    world.end(leader);
    const receipt = await climb(world, leader, { isHelper: (member) => member.pid === helper });
    expect(receipt).toMatchObject({ signalled: [{ pid: helper }], leftovers: [] });
  });

  const tree = fc.array(
    fc.record({
      parent: fc.nat(),
      group: fc.constantFrom('joins' as const, 'joins' as const, 'group' as const, 'session' as const),
      marked: fc.boolean(),
      diesAfter: fc.constantFrom(0, 10, 400, 4_000, null),
      stopped: fc.boolean(),
      startsOnTerm: fc.option(fc.record({ marked: fc.constant(true), leaves: fc.boolean(), diesAfter: fc.constantFrom(0, null) }), {
        nil: undefined,
      }),
    }),
    { maxLength: 12 },
  );

  it('leaves nobody of any tree alive and never touches a stranger', async () => {
    await fc.assert(
      fc.asyncProperty(
        tree,
        fc.boolean(),
        fc.constantFrom<NodeJS.Signals>('SIGTERM', 'SIGINT'),
        async (members, leaderDead, firstSignal) => {
          const world = simulate();
          const outside = world.add(world.ownPid, 'joins');
          const strangers = [outside, world.add(outside, 'group'), world.add(1, 'session')];
          const leader = startLeader(world, { diesAfter: null });
          const pids = [leader];
          for (const { parent, group, startsOnTerm, ...behaviour } of members) {
            const from = pids[parent % pids.length] ?? leader;
            pids.push(world.add(from, group, { ...behaviour, ...(startsOnTerm ? { startsOnTerm } : {}), marked: true }));
          }
          if (leaderDead) world.end(leader);
          const receipt = await climb(world, leader, { firstSignal, graceMs: 1_000, leaveMs: leaderDead ? 500 : 0 });
          expect(world.living().sort()).toEqual(strangers.sort());
          expect(strangers.flatMap((pid) => world.signalsOf(pid))).toEqual([]);
          expect(world.signalsOf(world.ownPid)).toEqual([]);
          expect(world.signalsOf(1)).toEqual([]);
          expect(receipt.survivors).toEqual([]);
          expect(receipt.durationMs).toBeLessThan(500 + 1_000 + 200);
        },
      ),
      { numRuns: 1_000 },
    );
  });
});
