import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import type { TurnError } from '../../../../src/agents/adapter.ts';
import { emptyLedger } from '../../../../src/budget/ledger.ts';
import { parseConfig } from '../../../../src/config/load.ts';
import { accountOf, agentIdentity, profileFor } from '../../../../src/config/profile.ts';
import type { Outcome } from '../../../../src/round/outcome.ts';
import { keepAccounts } from '../../../../src/serve/accounts/accounts.ts';
import { runLoop } from '../../../../src/serve/loop.ts';
import { NOBODY } from '../../../../src/serve/notifier.ts';
import { keepStarts } from '../../../../src/serve/schedule/starts.ts';
import { tellSchedule } from '../../../../src/serve/schedule/tell.ts';
import { keepWait } from '../../../../src/serve/wait.ts';
import type { LoopEnd, LoopWorld } from '../../../../src/serve/world.ts';
import { writeJson } from '../../../../src/state/atomic.ts';
import { layout } from '../../../../src/state/layout.ts';
import { NO_STREAKS, readNeedsHuman } from '../../../../src/state/serve-state.ts';
import { WALL_CLOCK_CHECK_MS } from '../../../../src/util/clock.ts';
import { testFolder } from '../../../support/folder.ts';

const REST = '[runtime]\nwork_dir = "."\nlog_dir = "/logs"\nrestart_delay_s = 3\n[prompt]\nfile = "p.md"\n';
const START = Date.parse('2026-11-29T20:00:00Z');

export interface Life {
  config: string;
  /** Seconds until a signal stops serve. */
  seconds: number;
  /** What the provider says at that second, or null when all is well. */
  answer(account: string, second: number): TurnError | null;
  /** Seconds that a round takes. */
  roundS?: number;
  /** A look each `stride` times 30 s only: for waits of days. */
  stride?: number;
  /** At this second the wall clock is set by so many. */
  jump?: { at: number; by: number };
}

export interface Lived {
  /** Second at which it began, phase, account. */
  rounds: { at: number; phase: string | null; account: string; ok: boolean }[];
  events: { event: string; at: number; [field: string]: unknown }[];
  end: LoopEnd;
  /** How often the gates were asked. */
  looks: number;
  asked: string[];
}

export const refusal = (classification: string, untilSecond: number | null): TurnError => ({
  kind: classification === 'auth' ? 'auth_error' : classification.startsWith('rate_limit') ? 'rate_limited' : 'provider_error',
  classification,
  resetAtEpoch: untilSecond === null ? null : START / 1000 + untilSecond,
  raw: '',
});

/** The loop of serve under a clock that moves only while it sleeps or a round runs. Seconds are those that really pass. */
export async function live({ config, seconds, answer, roundS = 60, stride = 1, jump }: Life): Promise<Lived> {
  const paths = layout(join(testFolder(), 'logs'));
  for (const folder of [paths.rounds, paths.state]) mkdirSync(folder, { recursive: true });
  const loaded = parseConfig(`${config}\n${REST}`, '/srv/project/agent-runner.toml');
  let passed = 0;
  let looks = 0;
  const wall = () => START + passed + (jump !== undefined && passed >= jump.at * 1000 ? jump.by * 1000 : 0);
  const drain = new AbortController();
  const pass = (ms: number) => {
    passed += ms;
    if (passed >= seconds * 1000) drain.abort();
  };
  const clock = { now: wall, monotonic: () => passed, sleep: async (ms: number) => pass(ms < WALL_CLOCK_CHECK_MS ? ms : ms * stride) };
  const events: Lived['events'] = [];
  const emit: LoopWorld['emit'] = (event, fields) => void events.push({ event, at: passed / 1000, ...(fields as object) });
  const rounds: Lived['rounds'] = [];
  const starts = keepStarts(paths, clock, { deliberateRestart: false });
  let number = 0;
  const world: LoopWorld = {
    paths,
    clock,
    emit,
    log: pino({ level: 'silent' }),
    signals: { drain: drain.signal, end: new AbortController().signal, asked: () => 'SIGTERM', onReload() {}, dispose() {} },
    control: {
      nextWord: () => new AbortController().signal,
      speak() {},
      takeWake() {
        looks += 1;
        return false;
      },
      close() {},
    },
    notifier: NOBODY,
    wait: keepWait(paths, clock, emit, { deliberateRestart: false }),
    accounts: keepAccounts({ paths, clock, emit, random: () => 0, deliberateRestart: false }),
    config: { current: () => loaded, requestReload() {}, adoptIfAsked() {}, beforeRound() {}, afterRound() {}, takeBack: () => false },
    admission: { look: async () => ({ memory: null, disk: null }), answered() {} },
    ledger: { look: emptyLedger },
    starts,
    schedule: tellSchedule(emit, starts),
    async round({ phase = null, fallback = 0 }) {
      const { agent } = profileFor(loaded.config, phase, fallback);
      const account = accountOf(agent);
      const at = passed / 1000;
      const error = answer(account, at);
      rounds.push({ at, phase, account, ok: error === null });
      number += 1;
      writeJson(paths.status, { round_num: number, running: false }, { durable: false });
      pass(error === null ? roundS * 1000 : 2_000);
      return {
        outcome: (error?.kind ?? 'ok') as Outcome,
        roundNum: number,
        phase,
        durationMs: roundS * 1000,
        moved: error === null,
        turn: { finished: error === null, error, usage: null },
        identity: agentIdentity(agent),
        account,
        fallback,
        logPath: null,
        head: null,
        tail: '',
        survivors: [],
        problems: [],
      };
    },
    endSurvivors: async () => [],
    once: false,
    ignoreSchedule: false,
    maxRounds: null,
  };
  const end = await runLoop(world, { ...NO_STREAKS });
  return { rounds, events, end, looks, asked: readNeedsHuman(paths).entries.map(({ reason }) => reason) };
}
