import { type Project, project } from '../project.ts';
import { type ScriptedAgent, scriptedAgent } from '../virtual/agent.ts';
import { type Passed, type VirtualServe, type VirtualTime, virtualTime } from '../virtual/time.ts';
import { type Delay, delayAfter, faultsOf, type Gate, type Known, opened, RULES } from './oracle.ts';
import { TURNS } from './records.ts';
import { MINUTE, SECOND, type Span, type World } from './world.ts';

/** What came of a week. */
export interface Played {
  rounds: number;
  /** How late each wait ended, seconds: by what it was for. Negative: too early. */
  waits: { why: string; lateS: number }[];
  sentences: number;
  /** Each with what was wrong. */
  wrong: string[];
  /** Outcomes as the world meant them, and as the program told them. */
  meant: string[];
  told: string[];
  /** Events that end a serve for good. */
  stops: string[];
}

/** The next thing that happens by itself. */
interface Action {
  at: number;
  act(): Promise<void>;
}

/** Between two looks at a round in which nothing happens. */
const STRIDE = 5 * MINUTE;
/** What a round takes in real time to begin or to end is no lateness of a wait. */
const START_SLACK = 2 * SECOND;

/** Plays a week on a real project with a real serve. Throws when serve ends by itself, or a wait ends at the wrong time. */
export async function play(world: World): Promise<Played> {
  const at = project({ runtime: { restart_delay_s: RULES.restartDelay / SECOND, round_timeout_s: RULES.wall / SECOND } });
  const agent = scriptedAgent(at, 'claude');
  at.edit(`${at.folder}/agent.sh`, agent.path);
  try {
    return await playOn(at, agent, virtualTime(at, world.start, world.zone), world);
  } finally {
    agent.close();
  }
}

type Turned = { outcome: string; kind: Parameters<typeof delayAfter>[1] };

async function playOn(at: Project, agent: ScriptedAgent, time: VirtualTime, world: World): Promise<Played> {
  const played: Played = { rounds: 0, waits: [], sentences: 0, wrong: [], meant: [], told: [], stops: [] };
  let serve: VirtualServe = time.serve();
  let down = false;
  let delay: Delay | null = null;
  let loggedIn = Number.POSITIVE_INFINITY;
  let refusedLogin = Number.POSITIVE_INFINITY;
  let asked: Known['asked'] = null;
  let refusals = 0;
  let hung = false;
  const words: Gate[] = [];

  const actions: Action[] = [
    ...world.pauses.flatMap((span): Action[] => {
      const gate: Gate = { why: 'paused', span, endIsKnown: span.stated };
      const pause = {
        at: span.from,
        async act() {
          await said(['pause', ...(span.stated ? ['--until', new Date(span.to).toISOString()] : [])]);
          words.push(gate);
        },
      };
      return span.stated ? [pause] : [pause, { at: span.to, act: () => said(['resume']) }];
    }),
    ...world.reboots.flatMap(({ from, to }): Action[] => [
      {
        at: from,
        async act() {
          await serve.kill();
          down = true;
        },
      },
      {
        at: to,
        async act() {
          await time.host('/proc/sys/kernel/random/boot_id', `${crypto.randomUUID()}\n`);
          serve = time.serve();
          down = false;
          await serve.settle();
        },
      },
    ]),
    ...world.moments.map((moment) => ({ at: moment, act: () => look(moment) })),
  ].sort((a, b) => a.at - b.at);

  async function said(args: readonly string[]) {
    const { code, stderr } = await time.run(args);
    if (code !== 0) throw new Error(`agent-runner ${args.join(' ')}: ${stderr}`);
    if (!down) await serve.settle();
  }

  async function look(moment: number) {
    const known: Known = {
      now: moment,
      zone: world.zone,
      down,
      round,
      rounds: played.rounds,
      delay,
      gates: words,
      asked,
    };
    const { stdout } = await time.run(['peek', '--check'], moment);
    const faults = faultsOf(stdout.trimEnd(), known);
    played.sentences += 1;
    if (faults.length > 0)
      played.wrong.push(`${new Date(moment).toISOString()}: ${stdout.trimEnd()}\n  ${faults.join('; ')}\n  ${JSON.stringify(known)}`);
  }

  /** How the turn that begins now will go, and when it is over. */
  function turnAt(began: number): { ends: number; turned: Turned; says: Parameters<ScriptedAgent['end']>[0] } | 'hangs' {
    if (!hung && began >= world.hangs) {
      hung = true;
      return 'hangs';
    }
    const ends = began + world.turnLength();
    const meets = (spans: readonly Span[]) => spans.find(({ from, to }) => from < ends && began < to);
    const refusedAt = (from: number) => Math.max(began + 20 * SECOND, from + 5 * SECOND);
    const limit = meets(world.limits);
    const outage = meets(world.outages);
    if (limit !== undefined) {
      return {
        ends: refusedAt(limit.from),
        turned: { outcome: 'rate_limited', kind: { kind: 'limit', resets: Math.round(limit.to / SECOND) * SECOND } },
        says: TURNS.limit(limit.to),
      };
    }
    if (outage !== undefined) {
      return {
        ends: refusedAt(outage.from),
        turned: { outcome: 'provider_error', kind: { kind: 'outage', nth: 0 } },
        says: TURNS.overloaded(),
      };
    }
    if (ends > world.loginExpires && began < loggedIn) {
      return { ends: refusedAt(world.loginExpires), turned: { outcome: 'auth_error', kind: { kind: 'login' } }, says: TURNS.loggedOut() };
    }
    return { ends, turned: { outcome: 'ok', kind: { kind: 'ok' } }, says: TURNS.ok() };
  }

  let round: Known['round'] = null;

  /** Passes time by `pass` until `goal`, and does on the way what happens by itself; 'round' when that came first. */
  async function until(goal: number, pass: (to: number) => Promise<Passed>): Promise<'time' | 'round'> {
    for (;;) {
      const next = actions[0];
      const to = Math.min(goal, next?.at ?? goal);
      if (down) time.passAlone(to);
      else {
        const passed = await pass(to);
        if (passed === 'exit')
          throw new Error(`serve ended at ${new Date(time.now()).toISOString()}: ${(await serve.ended).stderr.slice(-2000)}`);
        if (passed === 'round') return 'round';
      }
      if (next === undefined || next.at > to) return 'time';
      actions.shift();
      await next.act();
    }
  }

  function beginRound(begun: number) {
    played.rounds += 1;
    if (delay !== null) {
      const closed = [...words.map(({ span }) => span), ...world.reboots];
      const earliest = opened(delay.due.from, closed);
      const latest = opened(delay.due.to, closed);
      const late = begun < earliest ? begun - earliest : Math.max(0, begun - latest);
      played.waits.push({ why: delay.why, lateS: Math.round(late / 100) / 10 });
    }
    round = { num: played.rounds, began: begun };
    delay = null;
  }

  for (;;) {
    const begins = await until(world.end, (to) => serve.wait(to));
    if (begins === 'time') break;
    await agent.begun();
    const began = time.now();
    beginRound(began);
    const turn = turnAt(began);
    if (turn === 'hangs') {
      if ((await until(began + RULES.wall + 2 * MINUTE, (to) => serve.work(to, STRIDE))) === 'time')
        throw new Error('the hard wall did not hold');
      finish({ outcome: 'timeout', kind: { kind: 'hang' } });
      continue;
    }
    if ((await until(turn.ends, (to) => serve.work(to, STRIDE))) === 'round')
      throw new Error(`the round ended by itself: ${at.outcomes().at(-1)}`);
    agent.end(turn.says);
    await serve.over();
    finish(turn.turned);
  }

  function finish({ outcome, kind }: Turned) {
    const ended = time.now();
    played.meant.push(outcome);
    round = null;
    refusals = kind.kind === 'limit' || kind.kind === 'outage' ? refusals + 1 : 0;
    delay = delayAfter(ended, kind.kind === 'outage' ? { kind: 'outage', nth: refusals } : kind);
    if (kind.kind === 'ok') asked = null;
    if (kind.kind === 'login' && asked === null) {
      asked = 'login';
      refusedLogin = ended;
      const login: Action = {
        at: refusedLogin + world.loginTakes,
        async act() {
          loggedIn = time.now();
          await said(['ack', 'auth']);
          asked = null;
        },
      };
      actions.push(login);
      actions.sort((a, b) => a.at - b.at);
    }
  }

  serve.signal('SIGTERM');
  const { code, stderr } = await serve.ended;
  if (code !== 0) throw new Error(`serve ended with ${code}: ${stderr.slice(-2000)}`);
  played.told = at.outcomes();
  played.stops = at
    .events()
    .flatMap(({ event }) => (/^(?:crash_loop|stalled_no_progress|config_broken|mem_loop.*)$/.test(event) ? [event] : []));
  return played;
}
