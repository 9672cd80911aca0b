import { systemClock } from '../../../src/util/clock.ts';
import { type Project, project } from '../project.ts';
import { type ScriptedAgent, scriptedAgent } from '../virtual/agent.ts';
import { type Passed, type VirtualServe, type VirtualTime, virtualTime } from '../virtual/time.ts';
import { accountAfter, delayAfter, faultsOf, firstFree, holds, type Known, mayRun, opened, RULES } from './oracle.ts';
import { type PlannedTurn, REVIEWER, turnAt } from './turns.ts';
import { MINUTE, SECOND, type World } from './world.ts';

/** What came of a week. */
export interface Played {
  rounds: number;
  /** When each wait ended against when it was due, seconds: negative when too early. */
  waits: { why: string; at: string; lateS: number }[];
  /** Turns that somebody took whose turn it was not. */
  outOfTurn: string[];
  /** Turns by account. */
  turns: Record<string, number>;
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
  const agents: Record<string, ScriptedAgent> = {};
  for (const account of world.accounts) agents[account] = scriptedAgent(at, 'claude', account);
  if (world.review) agents[REVIEWER] = scriptedAgent(at, 'aider', REVIEWER);
  configure(at, world, agents);
  try {
    return await playOn(at, agents, virtualTime(at, world.start, world.zone), world);
  } finally {
    for (const agent of Object.values(agents)) agent.close();
  }
}

function configure(at: Project, { accounts, review }: World, agents: Record<string, ScriptedAgent>): void {
  const [first = '', ...others] = accounts;
  const path = (account: string) => agents[account]?.path ?? '';
  const further = others
    .map(
      (account) =>
        `[[agent.fallback]]\ncommand = ["${path(account)}"]\nprompt_arg_template = []\nprompt_delivery = "stdin"\naccount = "${account}"\n`,
    )
    .join('');
  const phases = `[phases]\nlist = ["build", "review"]\n[phases.review.agent]\ncommand = ["${path(REVIEWER)}"]\naccount = "${REVIEWER}"\n`;
  at.edit(`"${at.folder}/agent.sh"]\n`, `"${path(first)}"]\naccount = "${first}"\n`);
  at.edit('[runtime]\n', `${further}[runtime]\n`);
  if (review) at.edit('[schedule]\n', `${phases}[schedule]\n`);
}

/** What happens by itself, in the order of time. */
interface Action {
  at: number;
  act(): Promise<void> | void;
}

async function playOn(at: Project, agents: Record<string, ScriptedAgent>, time: VirtualTime, world: World): Promise<Played> {
  const played: Played = { rounds: 0, waits: [], outOfTurn: [], turns: {}, sentences: 0, wrong: [], meant: [], told: [], stops: [] };
  const known: Known = {
    now: world.start,
    zone: world.zone,
    down: false,
    round: null,
    rounds: 0,
    delay: null,
    turn: world.accounts,
    accounts: {},
    pause: null,
    memory: world.memory,
    closed: world.closed,
    asked: null,
  };
  const [first = ''] = world.accounts;
  const refusals: Record<string, number> = {};
  let loggedIn = Number.POSITIVE_INFINITY;
  let hasHung = false;
  let hastened = false;
  let agentPid = 0;
  await time.host(PRESSURE, QUIET);
  let serve: VirtualServe = time.serve();

  const say = async (...args: string[]) => {
    const { code, stderr } = await time.run(args);
    if (code !== 0) throw new Error(`agent-runner ${args.join(' ')}: ${stderr}`);
    if (!known.down) await serve.settle();
  };
  const look = async (moment: number) => {
    known.now = moment;
    const sentence = (await time.run(['peek', '--check'], moment)).stdout.trimEnd();
    const faults = faultsOf(sentence, known);
    played.sentences += 1;
    const { memory: _memory, closed: _closed, ...facts } = known;
    if (faults.length > 0) played.wrong.push(`${iso(moment)} ${sentence}\n  ${faults.join('; ')}\n  ${JSON.stringify(facts)}`);
  };
  const turnAfter = (rounds: number) => (world.review && rounds % 2 === 1 ? [REVIEWER] : world.accounts);
  const actions: Action[] = [
    ...world.pauses.flatMap(({ from, to, stated }): Action[] => [
      {
        at: from,
        async act() {
          await say('pause', ...(stated ? ['--until', iso(to)] : []));
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
          if (known.round !== null) process.kill(agentPid, 'SIGKILL');
          known.down = true;
        },
      },
      {
        at: to,
        async act() {
          await time.host('/proc/sys/kernel/random/boot_id', `${crypto.randomUUID()}\n`);
          serve = time.serve();
          await serve.settle();
          // A round that was on is lost with its number, and the pause between two rounds is over.
          Object.assign(known, { down: false, round: null, delay: { why: 'between rounds', due: to }, turn: turnAfter(played.rounds) });
        },
      },
    ]),
    ...world.moments.map((moment) => ({ at: moment, act: () => look(moment) })),
  ];

  /** Passes time until `goal`, and lets happen on the way what happens by itself; 'round' when a round began or ended first. */
  async function until(goal: number, pass: (to: number) => Promise<Passed>): Promise<'time' | 'round'> {
    const round = known.round;
    for (;;) {
      actions.sort((a, b) => a.at - b.at);
      const to = Math.min(goal, actions[0]?.at ?? goal);
      const passed = known.down ? time.passAlone(to) : await pass(to);
      if (passed === 'exit') throw new Error(`serve ended by itself: ${(await serve.ended).stderr.slice(-2000)}`);
      if (passed === 'round') return 'round';
      if (actions[0] === undefined || actions[0].at > to) return 'time';
      await actions.shift()?.act();
      if (round !== known.round) return 'round';
    }
  }

  async function whoBegan(): Promise<string> {
    for (;;) {
      for (const [account, agent] of Object.entries(agents)) {
        const pid = agent.takeTurn();
        if (pid === null) continue;
        agentPid = pid;
        return account;
      }
      await systemClock.sleep(5);
    }
  }

  function began(account: string, now: number): void {
    const { from, to } = firstFree(known);
    const closed = [...world.pauses, ...world.reboots, ...world.memory, ...world.closed];
    if (known.delay !== null) {
      const { due, why } = known.delay;
      const [earliest, latest] = [opened(Math.max(due, from), closed), opened(Math.max(due, to), closed)];
      const late = now < earliest ? now - earliest : Math.max(0, now - latest);
      played.waits.push({ why: from > due ? 'provider' : why, at: iso(now), lateS: Math.round(late / 100) / 10 });
    }
    if (!mayRun(known, now).includes(account)) played.outOfTurn.push(`${iso(now)}: ${account} instead of ${mayRun(known, now)}`);
    played.rounds += 1;
    played.turns[account] = (played.turns[account] ?? 0) + 1;
    const phase = world.review ? (played.rounds % 2 === 1 ? 'build' : 'review') : null;
    Object.assign(known, { round: { num: played.rounds, began: now, phase, account }, rounds: played.rounds, delay: null });
  }

  function ended(account: string, now: number, { outcome, ending }: Pick<PlannedTurn, 'outcome' | 'ending'>): void {
    played.meant.push(outcome);
    const isRefusal = ending.kind === 'limit' || ending.kind === 'outage';
    const nth = isRefusal ? (refusals[account] ?? 0) + 1 : 0;
    refusals[account] = nth;
    known.round = null;
    known.turn = turnAfter(played.rounds);
    known.delay = delayAfter(now, ending);
    if (hastened) known.delay.due = now;
    hastened = false;
    if (ending.kind !== 'memory') known.accounts[account] = accountAfter(now, ending.kind === 'outage' ? { ...ending, nth } : ending);
    if (ending.kind === 'ok' && account === first) known.asked = null;
    if (ending.kind !== 'login' || known.asked !== null) return;
    known.asked = 'login';
    actions.push({ at: now + world.loginTakes, act: logIn });
  }

  /** What a person has mended is tried at once: it ends the delay between two rounds, or the next one. */
  async function logIn(): Promise<void> {
    loggedIn = time.now();
    await say('ack', 'auth');
    known.asked = null;
    const account = known.accounts[first];
    if (account?.refused == null) return;
    account.refused = null;
    if (known.delay === null) hastened = true;
    else known.delay.due = loggedIn;
  }

  /** While memory is short it is looked at as often as in real life. */
  const work = (to: number) => serve.work(to, world.memory.some((span) => holds(span, time.now())) ? 0 : STRIDE);

  while ((await until(world.end, (to) => serve.wait(to))) === 'round') {
    const account = await whoBegan();
    began(account, time.now());
    const turn = turnAt(world, { account, began: time.now(), loggedIn, hasHung });
    const came = await until(turn.ends, work);
    if (known.round === null) continue;
    if (came === 'time' || turn.says === null) {
      // One that hangs is ended by the wall.
      if (turn.says === null) hasHung = true;
      else agents[account]?.end(turn.says);
      await serve.over();
      ended(account, time.now(), turn);
    } else if (world.memory.some((span) => holds(span, time.now()))) {
      ended(account, time.now(), { outcome: 'mem_terminated', ending: { kind: 'memory' } });
    } else throw new Error(`round ${played.rounds} ended by itself: ${at.outcomes().at(-1)}`);
  }
  serve.signal('SIGTERM');
  const { code, stderr } = await serve.ended;
  if (code !== 0) throw new Error(`serve ended with ${code}: ${stderr.slice(-2000)}`);
  played.told = at.outcomes();
  played.stops = at.events().flatMap(({ event }) => (GIVES_UP.test(event) ? [event] : []));
  return played;
}

const iso = (epochMs: number) => new Date(epochMs).toISOString();

const PRESSURE = '/proc/pressure/memory';
const pressure = (some: number, full: number) =>
  `some avg10=${some.toFixed(2)} avg60=0.00 avg300=0.00 total=0\nfull avg10=${full.toFixed(2)} avg60=0.00 avg300=0.00 total=0\n`;
const QUIET = pressure(0, 0);
const CRITICAL = pressure(95, 75);
