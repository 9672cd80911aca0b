import type { Facts } from '../../../../src/observe/peek/facts.ts';
import { NO_UNITS } from '../../../../src/service/mode.ts';
import { NO_STREAKS } from '../../../../src/state/serve-state.ts';

/** 2026-11-29 12:00 UTC, a Sunday. */
export const NOW = Date.UTC(2026, 10, 29, 12, 0, 0);

export const iso = (offsetS: number): string => new Date(NOW + offsetS * 1000).toISOString();

/** A project that has never run, changed as the test says. */
export function factsWith(change: Partial<Facts> = {}): Facts {
  return {
    project: 'shop',
    configPath: '/w/shop/agent-runner.toml',
    configGiven: false,
    configProblem: null,
    configPending: false,
    timezone: null,
    logDir: '/w/logs',
    logDirState: 'ok',
    supervisor: { kind: 'none' },
    units: NO_UNITS,
    soloRound: null,
    status: null,
    inFlight: null,
    wait: null,
    accounts: null,
    turns: { isSkipped: false, limitsHold: true, turns: [] },
    pause: null,
    needs: { entries: [] },
    streaks: { ...NO_STREAKS },
    stopped: null,
    damaged: [],
    degraded: [],
    ...change,
  };
}

/** serve lives, and eleven rounds are done. */
export function serving(change: Partial<Facts> = {}): Facts {
  return factsWith({
    supervisor: { kind: 'alive', pid: 4711, startedAt: NOW - 3_600_000 },
    status: { round_num: 11, running: false, last_outcome: 'ok', last_completed_at: iso(-5) },
    ...change,
  });
}

/** Round 12 runs for 12 minutes of 30. */
export function running(change: Partial<Facts> = {}): Facts {
  return serving({
    status: { round_num: 12, running: true },
    inFlight: { roundNum: 12, phase: null, startedAt: NOW - 12 * 60_000, timeoutS: 1800, pid: 5000 },
    ...change,
  });
}

export function waiting(reason: string, untilS: number | null, sentence = ''): Facts {
  return serving({ wait: { reason, until: untilS === null ? null : iso(untilS), since: iso(-5), source: 'test', sentence } });
}

export function asked(...reasons: string[]): Facts['needs'] {
  return {
    entries: reasons.map((reason) => ({
      reason,
      since: iso(-60),
      message: `please see to ${reason}`,
      command: `agent-runner ack ${reason}`,
    })),
  };
}

export function stoppedWith(exitCode: number, reason: string, change: Partial<NonNullable<Facts['stopped']>> = {}): Facts {
  return factsWith({
    status: { round_num: 17, running: false, last_outcome: 'crash', last_completed_at: iso(-7200) },
    stopped: { reason, exit_code: exitCode, at: iso(-7200), sentence: `because of ${reason}`, remedy: null, log_path: null, ...change },
  });
}
