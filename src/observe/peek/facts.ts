import type { LocateProblem } from '../../config/locate.ts';
import type { UnitFacts } from '../../service/mode.ts';
import type { AccountsState } from '../../state/accounts.ts';
import type { NeedsHumanState, PauseState, StatusState, StoppedState, StreakState, WaitState } from '../../state/serve-state.ts';
import type { Turns } from './away.ts';

/** Who supervises here. `dead`: its pid file is there, the process is not (or the pid is somebody else's by now). */
export type Supervisor =
  | { kind: 'alive'; pid: number; startedAt: number | null }
  | { kind: 'dead'; pid: number }
  | { kind: 'none' }
  | { kind: 'garbled' };

export interface RoundFacts {
  roundNum: number;
  phase: string | null;
  /** Epoch ms. */
  startedAt: number | null;
  /** The hard wall, seconds. */
  timeoutS: number | null;
  /** The agent's pid. */
  pid: number | null;
  /** A fallback runs, and for which account. */
  standIn?: { agent: string; account: string };
  /** The newest word of the CLI that it tries again by itself; `at` and the last write to the round's log are epoch ms. */
  retrying?: { what: string; at: number; lastWriteAt: number | null };
}

/** Everything that the sentence, the state and the health are decided from; gathered once, then pure. */
export interface Facts {
  project: string;
  configPath: string;
  /** `--config` was given: the commands that we name need it too. */
  configGiven: boolean;
  configProblem: LocateProblem | null;
  /** The file is not the one that serve goes by; `reload` adopts it. */
  configPending: boolean;
  /** `schedule.timezone`, unchecked. */
  timezone: string | null;
  logDir: string | null;
  logDirState: 'ok' | 'missing' | 'unreadable';
  supervisor: Supervisor;
  /** systemd units of this project, and the one that serve runs in. */
  units: UnitFacts;
  /** A single `agent-runner round` holds the round lock. */
  soloRound: { pid: number } | null;
  status: StatusState | null;
  /** The round on record as in flight: running if its supervisor lives, left behind if not. */
  inFlight: RoundFacts | null;
  wait: WaitState | null;
  /** Null: no serve has kept account of accounts here. */
  accounts: AccountsState | null;
  turns: Turns;
  pause: PauseState | null;
  needs: NeedsHumanState;
  streaks: StreakState;
  stopped: StoppedState | null;
  /** State files that are there and cannot be used: `status.json is not valid JSON`. */
  damaged: string[];
  /** What has happened lately that makes this program less than it should be: lost events, guards that do not hold. */
  degraded: string[];
}

/** A person must do something; the one command that answers it. */
export interface Need {
  reason: string;
  message: string;
  command: string;
}
