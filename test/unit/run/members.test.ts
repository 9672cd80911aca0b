import { describe, expect, it } from 'vitest';
import type { ProcessEntry } from '../../../src/process/stat.ts';
import { createCensus, findMembers, type Kinship, mainsIn } from '../../../src/run/members.ts';
import { simulate } from '../../support/simulated.ts';

const entry = (pid: number, changes: Partial<ProcessEntry> = {}): ProcessEntry => ({
  pid,
  ppid: 1,
  pgid: pid,
  sid: pid,
  state: 'S',
  startTicks: 1_000 + pid,
  cpuTicks: 0,
  threads: 1,
  comm: 'sh',
  ...changes,
});

const LEADER = { pid: 50, startTicks: 1_050 };
const kinship: Kinship = { leader: LEADER, known: new Map(), group: 'ours', ownPid: 10 };
const find = (entries: ProcessEntry[], changes: Partial<Kinship> = {}, marked: number[] = []) =>
  findMembers(entries, { ...kinship, ...changes }, ({ pid }) => marked.includes(pid)).map(({ pid }) => pid);

describe('members', () => {
  it.each<[string, ProcessEntry[], number[]]>([
    ['the leader', [entry(50)], [50]],
    ['its group', [entry(51, { pgid: 50, sid: 50 })], [51]],
    ['its session, in a group of its own', [entry(51, { sid: 50 })], [51]],
    ['its children, wherever they went', [entry(50), entry(51, { ppid: 50 })], [50, 51]],
    ['descendants of descendants', [entry(53, { ppid: 52 }), entry(52, { ppid: 50 }), entry(50)], [50, 52, 53]],
    ['no zombies', [entry(50, { state: 'Z' }), entry(51, { pgid: 50, state: 'Z' })], []],
    ['no strangers', [entry(50), entry(60), entry(61, { ppid: 60 })], [50]],
    ['never pid 1', [entry(1, { pgid: 50 })], []],
    ['never ourselves, nor what hangs below us only', [entry(10, { ppid: 50 }), entry(11, { ppid: 10 }), entry(50)], [50]],
    ['nobody of the group once a stranger has the leader’s pid', [entry(50, { startTicks: 9_999 }), entry(51, { pgid: 50 })], []],
  ])('are %s', (_, entries, expected) => {
    expect(find(entries).sort()).toEqual(expected);
  });

  it('are those who carry the mark, with their children', () => {
    expect(find([entry(70), entry(71, { ppid: 70 })], {}, [70])).toEqual([70, 71]);
  });

  it('are those in the run’s control group, with their children, whatever else they hide', () => {
    expect(find([entry(70), entry(71, { ppid: 70 }), entry(72)], { inLeaf: new Set([70, 99]) })).toEqual([70, 71]);
    expect(find([entry(10), entry(1)], { inLeaf: new Set([10, 1]) })).toEqual([]);
  });

  it('are those known from before, by pid and start time', () => {
    expect(
      find([entry(70), entry(71)], {
        known: new Map([
          [70, 1_070],
          [71, 1],
        ]),
      }),
    ).toEqual([70]);
  });

  it('field bug 15: a group whose leader is dead counts after a recovery only if somebody proves it', () => {
    const group = [entry(51, { pgid: 50, sid: 50 }), entry(52, { pgid: 50, sid: 50 })];
    expect(find(group, { group: 'if_proven' })).toEqual([]);
    expect(find(group, { group: 'if_proven' }, [52])).toEqual([51, 52]);
    expect(find([entry(50), ...group], { group: 'if_proven' })).toEqual([50, 51, 52]);
    expect(find(group, { group: 'gone' })).toEqual([]);
  });
});

describe('a census', () => {
  const census = (world: ReturnType<typeof simulate>, leader: number) =>
    createCensus({
      leader: world.identity(leader),
      mark: { name: 'MARK', value: 'x' },
      startedAfterTicks: 0,
      group: 'ours',
      table: world.table,
      sleep: world.clock.sleep,
    });

  it('remembers who left its tree after it was seen there', async () => {
    const world = simulate();
    const leader = world.add(world.ownPid, 'session');
    const child = world.add(leader, 'session');
    const counted = census(world, leader);
    await counted.take();
    world.end(leader);
    expect((await counted.take()).map(({ pid }) => pid)).toEqual([child]);
  });

  it('no longer trusts the group’s number once the group was empty', async () => {
    const world = simulate();
    const leader = world.add(world.ownPid, 'session');
    const counted = census(world, leader);
    const list = world.table.list;
    world.table.list = async () => [];
    await counted.take();
    world.table.list = async () => [...(await list()), entry(999, { pgid: leader, sid: leader })];
    world.end(leader);
    expect(await counted.take()).toEqual([]);
  });

  it('signals a group as a whole only when it holds members only, and never its own', async () => {
    const world = simulate();
    const leader = world.add(world.ownPid, 'session', { marked: true });
    const pane = world.add(1, 'session');
    const window = world.add(pane, 'joins', { marked: true });
    const inOurs = world.add(world.ownPid, 'joins', { marked: true });
    const counted = census(world, leader);
    expect((await counted.take()).map(({ pid }) => pid)).toEqual([leader, window, inOurs]);
    expect([leader, pane, world.ownPid, 1, 0].map((pgid) => counted.isGroupOfMembers(pgid))).toEqual([true, false, false, false, false]);
  });

  it('looks again at a process that is just inside execve', async () => {
    const world = simulate();
    const leader = world.add(world.ownPid, 'session');
    const escapee = world.add(1, 'session');
    let asked = 0;
    world.table.carriesMark = (pid) => (pid === escapee ? (asked++ === 0 ? 'blank' : 'yes') : 'no');
    expect((await census(world, leader).take()).map(({ pid }) => pid)).toContain(escapee);
  });
});

describe('the agent in a PID namespace', () => {
  const init = entry(60, { ppid: 50, startTicks: 5 });
  const main = entry(61, { ppid: 60, startTicks: 6 });

  it.each<[string, ProcessEntry[], number[]]>([
    ['is the first child of the first process', [entry(50), init, main], [60, 61]],
    ['is older than orphans that came to the first process', [entry(50), init, entry(90, { ppid: 60, startTicks: 9 }), main], [60, 61]],
    ['is the one with the smaller pid within a tick', [entry(50), init, entry(62, { ppid: 60, startTicks: 6 }), main], [60, 61]],
    ['is not there yet', [entry(50), init], [60]],
    ['is gone with all the rest', [], []],
  ])('%s', (_, entries, expected) => {
    expect(mainsIn(entries, 50)).toEqual(expected);
  });

  it('is main, and so are leader and first process; without a namespace the leader alone', async () => {
    const world = simulate();
    const leader = world.add(world.ownPid, 'session', { marked: true });
    const first = world.add(leader, 'joins');
    const agent = world.add(first, 'joins');
    const tool = world.add(agent, 'joins');
    for (const [namespaced, expected] of [
      [true, [leader, first, agent]],
      [false, [leader]],
    ] as const) {
      const census = createCensus({
        leader: world.identity(leader),
        mark: { name: 'MARK', value: 'x' },
        startedAfterTicks: 0,
        group: 'ours',
        namespaced,
        table: world.table,
        sleep: world.clock.sleep,
      });
      const members = await census.take();
      expect(members.map(({ pid }) => pid)).toEqual([leader, first, agent, tool]);
      expect(members.filter(census.isMain).map(({ pid }) => pid)).toEqual(expected);
    }
  });
});
