import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { emptyLedger } from '../../../../src/budget/ledger.ts';
import { type LoadedConfig, parseConfig } from '../../../../src/config/load.ts';
import type { Outcome } from '../../../../src/round/outcome.ts';
import type { RoundResult } from '../../../../src/round/types.ts';
import { keepAccounts } from '../../../../src/serve/accounts/accounts.ts';
import { runLoop } from '../../../../src/serve/loop.ts';
import { NOBODY } from '../../../../src/serve/notifier.ts';
import { keepStarts } from '../../../../src/serve/schedule/starts.ts';
import { tellSchedule } from '../../../../src/serve/schedule/tell.ts';
import { keepWait } from '../../../../src/serve/wait.ts';
import type { LoopEnd, LoopWorld } from '../../../../src/serve/world.ts';
import { writeJson } from '../../../../src/state/atomic.ts';
import { type Layout, layout } from '../../../../src/state/layout.ts';
import { NO_STREAKS, readWait } from '../../../../src/state/serve-state.ts';
import { WALL_CLOCK_CHECK_MS } from '../../../../src/util/clock.ts';
import { testFolder } from '../../../support/folder.ts';

const REST =
  '[agent]\ncommand = ["claude"]\nprompt_delivery = "stdin"\n[runtime]\nwork_dir = "."\nlog_dir = "/logs"\n[prompt]\nfile = "p.md"\n';

export interface Night {
  /** The `[schedule]` and `[phases]` of the configuration. */
  config: string;
  /** ISO. */
  from: string;
  /** Serve is stopped by a signal then. */
  until: string;
  logDir?: string;
  /** How long each round takes, minutes; the last one stands for all after it. */
  rounds?: number[];
  outcomes?: Outcome[];
  /** Words of a person, and tricks of the machine, by the time at which they come. */
  script?: [iso: string, what: 'wake' | 'stop' | { config: string } | { clock: number }][];
  /** Sleep as serve does, never more than 30 s. */
  everyLook?: boolean;
  /** What a person does in the middle of the first look at the gates. */
  duringLook?: ((paths: Layout, speak: () => void) => void) | undefined;
  ignoreSchedule?: boolean;
  once?: boolean;
  maxRounds?: number;
  deliberateRestart?: boolean;
}

export interface NightReport {
  /** ISO times without seconds where they are 0, with the phase. */
  rounds: string[];
  events: { event: string; ts: string; [field: string]: unknown }[];
  end: LoopEnd;
  /** How often the gates were looked at. */
  looks: number;
}

const scheduled = (text: string): LoadedConfig => parseConfig(`${REST}${text}`, '/srv/project/agent-runner.toml');

/** The loop of serve through a night, under a clock that moves only while it sleeps, with rounds that take so long and do nothing. */
export async function liveThrough(night: Night): Promise<NightReport> {
  const paths = layout(night.logDir ?? join(testFolder(), 'logs'));
  mkdirSync(paths.rounds, { recursive: true });
  mkdirSync(paths.state, { recursive: true });
  let now = Date.parse(night.from);
  let monotonic = 0;
  let loaded = scheduled(night.config);
  let looks = 0;
  const drain = new AbortController();
  let woken = false;
  const script = (night.script ?? []).map(([iso, what]) => ({ at: Date.parse(iso), what }));
  script.push({ at: Date.parse(night.until), what: 'stop' as const });
  script.sort((a, b) => a.at - b.at);
  /** Until then, or until the next thing that happens. */
  const pass = (ms: number, interrupted: boolean) => {
    const to = now + ms;
    while (script[0] !== undefined && script[0].at <= to) {
      const { at, what } = script.shift() as (typeof script)[number];
      monotonic += Math.max(0, at - now);
      now = Math.max(now, at);
      if (what === 'stop') drain.abort();
      else if (what === 'wake') woken = true;
      else if ('config' in what) loaded = scheduled(what.config);
      else now += what.clock;
      if (interrupted) return;
    }
    monotonic += Math.max(0, to - now);
    now = Math.max(now, to);
  };
  /** A wait of hours, but for its last look, in one step: what is seen in between is the same. */
  const whatIsLeft = () => {
    const until = readWait(paths)?.until;
    return until == null ? 3_600_000 : Date.parse(until) - now - WALL_CLOCK_CHECK_MS;
  };
  const clock = {
    now: () => now,
    monotonic: () => monotonic,
    sleep: async (ms: number, signal?: AbortSignal) => {
      if (!signal?.aborted) pass(night.everyLook || ms < WALL_CLOCK_CHECK_MS ? ms : Math.max(ms, whatIsLeft()), true);
    },
  };
  let word = new AbortController();
  const speak = () => {
    word.abort();
    word = new AbortController();
  };
  let { duringLook } = night;
  const look = async () => {
    duringLook?.(paths, speak);
    duringLook = undefined;
    return { memory: null, disk: null };
  };
  const events: NightReport['events'] = [];
  const emit: LoopWorld['emit'] = (event, fields) => void events.push({ event, ts: short(now), ...(fields as object) });
  const rounds: string[] = [];
  const starts = keepStarts(paths, clock, { deliberateRestart: night.deliberateRestart ?? false });
  let number = 0;
  const world: LoopWorld = {
    paths,
    clock,
    emit,
    log: pino({ level: 'silent' }),
    signals: { drain: drain.signal, end: new AbortController().signal, asked: () => 'SIGTERM', onReload() {}, dispose() {} },
    control: {
      nextWord: () => word.signal,
      speak,
      takeWake: () => {
        looks += 1;
        const was = woken;
        woken = false;
        return was;
      },
      close() {},
    },
    notifier: NOBODY,
    wait: keepWait(paths, clock, emit, { deliberateRestart: false }),
    config: { current: () => loaded, requestReload() {}, adoptIfAsked() {}, beforeRound() {}, afterRound() {}, takeBack: () => false },
    accounts: keepAccounts({ paths, clock, emit, random: () => 0, deliberateRestart: false }),
    admission: { look, answered() {} },
    ledger: { look: emptyLedger },
    starts,
    schedule: tellSchedule(emit, starts),
    async round({ phase = null }) {
      rounds.push(phase === null ? short(now) : `${short(now)} ${phase}`);
      const outcome = night.outcomes?.[number] ?? 'ok';
      const minutes = night.rounds?.[Math.min(number, night.rounds.length - 1)] ?? 10;
      number += 1;
      writeJson(paths.status, { round_num: number, running: false });
      pass(minutes * 60_000, false);
      return resultOf(number, outcome, phase);
    },
    endSurvivors: async () => [],
    random: () => 0,
    once: night.once ?? false,
    ignoreSchedule: night.ignoreSchedule ?? false,
    maxRounds: night.maxRounds ?? null,
  } as LoopWorld;
  const end = await runLoop(world, { ...NO_STREAKS });
  return { rounds, events, end, looks };
}

function resultOf(roundNum: number, outcome: Outcome, phase: string | null): RoundResult {
  return {
    outcome,
    roundNum,
    phase,
    durationMs: 1,
    moved: true,
    turn: null,
    identity: 'claude',
    account: 'claude',
    fallback: 0,
    logPath: null,
    head: null,
    tail: '',
    survivors: [],
    problems: [],
  };
}

function short(at: number): string {
  return new Date(at).toISOString().replace(/(:00)?\.\d{3}Z$/, 'Z');
}
