import { type Project, project } from '../project.ts';
import { type ScriptedAgent, scriptedAgent } from '../virtual/agent.ts';
import { type Passed, type VirtualServe, type VirtualTime, virtualTime } from '../virtual/time.ts';
import { delayAfter, faultsOf, holds, type Known, opened, RULES } from './oracle.ts';
import { type PlannedTurn, turnAt } from './turns.ts';
import { MINUTE, SECOND, type World } from './world.ts';

/** What came of a week. */
export interface Played {
  rounds: number;
  /** When each wait ended against when it was due, seconds: negative when too early. */
  waits: { why: string; at: string; lateS: number }[];
  sentences: number;
  /** Each with what is wrong. */
  wrong: string[];
  /** Outcomes as the world meant them, and as the program told them. */
  meant: string[];
  told: string[];
  /** Events of a serve that gives up. */
  stops: string[];
}

/** Between two looks at a round in which nothing happens. */
const STRIDE = 5 * MINUTE;
const GIVES_UP = /^(?:crash_loop|stalled_no_progress|config_broken|mem_loop|mem_loop_persistent)$/;

/** Plays a week on a real project with a real serve. Throws when serve ends by itself, or a round does. */
export async function play(world: World): Promise<Played> {
  const at = project({
    runtime: { restart_delay_s: RULES.restartDelay / SECOND, round_timeout_s: RULES.wall / SECOND },
    more: `[schedule]\ntimezone = "${world.zone}"\npause_windows = ${JSON.stringify(world.windows)}\n`,
  });
  const agent = scriptedAgent(at, 'claude');
  at.edit(`${at.folder}/agent.sh`, agent.path);
  try {
    return await playOn(at, agent, virtualTime(at, world.start, world.zone), world);
  } finally {
    agent.close();
  }
}

/** What happens by itself, in the order of time. */
interface Action {
  at: number;
  act(): Promise<void> | void;
}

async function playOn(at: Project, agent: ScriptedAgent, time: VirtualTime, world: World): Promise<Played> {
  const played: Played = { rounds: 0, waits: [], sentences: 0, wrong: [], meant: [], told: [], stops: [] };
  const known: Known = {
    now: world.start,
    zone: world.zone,
    down: false,
    round: null,
    rounds: 0,
    delay: null,
    pause: null,
    memory: world.memory,
    closed: world.closed,
    asked: null,
  };
  let loggedIn = Number.POSITIVE_INFINITY;
  let hasHung = false;
  let refusals = 0;
  await time.host(PRESSURE, QUIET);
  let serve: VirtualServe = time.serve();

  const say = async (...args: string[]) => {
    const { code, stderr } = await time.run(args);
    if (code !== 0) throw new Error(`agent-runner ${args.join(' ')}: ${stderr}`);
    if (!known.down) await serve.settle();
  };
  const actions: Action[] = [
    ...world.pauses.flatMap(({ from, to, stated }): Action[] => [
      {
        at: from,
        async act() {
          await say('pause', ...(stated ? ['--until', new Date(to).toISOString()] : []));
          known.pause = { from, to: stated ? to : null };
        },
      },
      {
        at: to,
        async act() {
          if (!stated) await say('resume');
          known.pause = null;
        },
      },
    ]),
    ...world.memory.flatMap(({ from, to }): Action[] => [
      { at: from, act: () => time.host(PRESSURE, CRITICAL) },
      { at: to, act: () => time.host(PRESSURE, QUIET) },
    ]),
    ...world.reboots.flatMap(({ from, to }): Action[] => [
      {
        at: from,
        async act() {
          await serve.kill();
          known.down = true;
        },
      },
      {
        at: to,
        async act() {
          await time.host('/proc/sys/kernel/random/boot_id', `${crypto.randomUUID()}\n`);
          serve = time.serve();
          await serve.settle();
          known.down = false;
        },
      },
    ]),
    ...world.moments.map((moment) => ({
      at: moment,
      async act() {
        known.now = moment;
        const sentence = (await time.run(['peek', '--check'], moment)).stdout.trimEnd();
        const faults = faultsOf(sentence, known);
        played.sentences += 1;
        if (faults.length === 0) return;
        const { memory: _memory, closed: _closed, ...facts } = known;
        played.wrong.push(`${new Date(moment).toISOString()} ${sentence}\n  ${faults.join('; ')}\n  ${JSON.stringify(facts)}`);
      },
    })),
  ];

  /** Passes time until `goal`, and lets happen on the way what happens by itself; 'round' when a round began or ended first. */
  async function until(goal: number, pass: (to: number) => Promise<Passed>): Promise<'time' | 'round'> {
    for (;;) {
      actions.sort((a, b) => a.at - b.at);
      const to = Math.min(goal, actions[0]?.at ?? goal);
      const passed = known.down ? time.passAlone(to) : await pass(to);
      if (passed === 'exit') throw new Error(`serve ended by itself: ${(await serve.ended).stderr.slice(-2000)}`);
      if (passed === 'round') return 'round';
      if (actions[0] === undefined || actions[0].at > to) return 'time';
      await actions.shift()?.act();
    }
  }

  function began(now: number): void {
    if (known.delay !== null) {
      const { why, due } = known.delay;
      const closed = [...world.pauses, ...world.reboots, ...world.memory, ...world.closed];
      const [earliest, latest] = [opened(due.from, closed), opened(due.to, closed)];
      const late = now < earliest ? now - earliest : Math.max(0, now - latest);
      played.waits.push({ why, at: new Date(now).toISOString(), lateS: Math.round(late / 100) / 10 });
    }
    played.rounds += 1;
    Object.assign(known, { round: { num: played.rounds, began: now }, rounds: played.rounds, delay: null });
  }

  function ended(now: number, { outcome, ending }: Pick<PlannedTurn, 'outcome' | 'ending'>): void {
    played.meant.push(outcome);
    refusals = ending.kind === 'limit' || ending.kind === 'outage' ? refusals + 1 : 0;
    known.round = null;
    known.delay = delayAfter(now, ending.kind === 'outage' ? { ...ending, nth: refusals } : ending);
    if (ending.kind === 'ok') known.asked = null;
    if (ending.kind !== 'login' || known.asked !== null) return;
    known.asked = 'login';
    actions.push({
      at: now + world.loginTakes,
      async act() {
        loggedIn = time.now();
        await say('ack', 'auth');
        known.asked = null;
        // What a person has mended is tried at once.
        if (known.delay !== null) known.delay.due = { from: loggedIn, to: loggedIn };
      },
    });
  }

  /** While memory is short it is looked at as often as in real life. */
  const work = (to: number) => serve.work(to, world.memory.some((span) => holds(span, time.now())) ? 0 : STRIDE);

  while ((await until(world.end, (to) => serve.wait(to))) === 'round') {
    await agent.begun();
    began(time.now());
    const turn = turnAt(world, time.now(), loggedIn, hasHung);
    const came = await until(turn.ends, work);
    if (came === 'time' || turn.says === null) {
      // One that hangs is ended by the wall.
      if (turn.says === null) hasHung = true;
      else agent.end(turn.says);
      await serve.over();
      ended(time.now(), turn);
    } else if (world.memory.some((span) => holds(span, time.now()))) {
      ended(time.now(), { outcome: 'mem_terminated', ending: { kind: 'memory' } });
    } else throw new Error(`round ${played.rounds} ended by itself: ${at.outcomes().at(-1)}`);
  }
  serve.signal('SIGTERM');
  const { code, stderr } = await serve.ended;
  if (code !== 0) throw new Error(`serve ended with ${code}: ${stderr.slice(-2000)}`);
  played.told = at.outcomes();
  played.stops = at.events().flatMap(({ event }) => (GIVES_UP.test(event) ? [event] : []));
  return played;
}

const PRESSURE = '/proc/pressure/memory';
const pressure = (some: number, full: number) =>
  `some avg10=${some.toFixed(2)} avg60=0.00 avg300=0.00 total=0\nfull avg10=${full.toFixed(2)} avg60=0.00 avg300=0.00 total=0\n`;
const QUIET = pressure(0, 0);
const CRITICAL = pressure(95, 75);
