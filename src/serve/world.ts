import type { LedgerKeeper } from '../budget/keep.ts';
import type { Emit } from '../events/emit.ts';
import type { RoundRequest, RoundResult } from '../round/types.ts';
import type { Layout } from '../state/layout.ts';
import type { StreakState } from '../state/serve-state.ts';
import type { Clock } from '../util/clock.ts';
import type { Accounts } from './accounts/accounts.ts';
import type { Admission } from './admission.ts';
import type { Control } from './control.ts';
import type { ConfigKeeper } from './keep-config.ts';
import type { Logger } from './log.ts';
import type { Notifier } from './notifier.ts';
import type { StartKeeper } from './schedule/starts.ts';
import type { ScheduleTeller } from './schedule/tell.ts';
import type { StopSignals } from './signals.ts';
import type { WaitKeeper } from './wait.ts';

/** All that the loop touches, handed in: it starts, reads and asks nothing by itself. */
export interface LoopWorld {
  paths: Layout;
  clock: Clock;
  emit: Emit;
  log: Logger;
  signals: StopSignals;
  control: Control;
  notifier: Notifier;
  wait: WaitKeeper;
  accounts: Accounts;
  /** The configuration that is in force; asked anew before each round, told of each end. */
  config: ConfigKeeper;
  /** What rounds have used. */
  ledger: LedgerKeeper;
  /** When rounds by cron expressions started. */
  starts: StartKeeper;
  schedule: ScheduleTeller;
  round(request: RoundRequest): Promise<RoundResult>;
  /** What the gates are told of the machine. */
  admission: Admission;
  /** Tries again to end processes that outlived their round; resolves with who is still there. */
  endSurvivors(): Promise<RoundResult['survivors']>;
  once: boolean;
  /** `--ignore-schedule`. */
  ignoreSchedule: boolean;
  /** `--max-rounds`; null: what the configuration in force says. */
  maxRounds: number | null;
}

export interface LoopEnd {
  reason: string;
  exitCode: number;
  sentence: string;
  remedy: string | null;
  logPath: string | null;
  roundsCompleted: number;
}

export interface LoopState {
  streaks: StreakState;
  roundsCompleted: number;
  survivors: RoundResult['survivors'];
  survivorTries: number;
  lastResult: RoundResult | null;
}
