import { existsSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { AgentAdapter, TurnVerdict } from '../../src/agents/adapter.ts';
import { followTurn } from '../../src/agents/turn.ts';
import { type Outcome, outcomeOf } from '../../src/round/outcome.ts';
import type { RunEnd } from '../../src/run/types.ts';

export interface Recording {
  adapter: AgentAdapter;
  /** Path of the recorded stdout; its stderr lies beside it as `.stderr` or `.err`. */
  stdout: string;
  command: readonly string[];
  exitCode: number | null;
  end: RunEnd;
  seconds: number;
}

export interface Replayed extends TurnVerdict {
  outcome: Outcome;
  turns: string[];
  retries: string[];
  problem: string | null;
}

/** 2026-11-29T16:30:00Z, about when the recordings were made. */
const RECORDED_AT = 1_795_969_800;

/** Feeds a recorded output to its adapter as the pipe would have delivered it, stderr first, and asks what the round was. */
export function replay({ adapter, stdout, command, exitCode, end, seconds }: Recording): Replayed {
  const stem = stdout.slice(0, -'.jsonl'.length);
  const stderr = [`${stem}.stderr`, `${stem}.err`].filter((path) => existsSync(path)).map((path) => readFileSync(path, 'utf8'));
  const output = [...stderr, readFileSync(stdout, 'utf8')].join('');
  const turns: string[] = [];
  const retries: string[] = [];
  const followed = followTurn(adapter, { command, onRetrying: (what) => retries.push(what) });
  for (const line of output.split('\n')) {
    if (adapter.lines === 'json' && !line.startsWith('{')) continue;
    const turn = followed.line(line);
    if (turn !== undefined) turns.push(turn);
  }
  const verdict = followed.conclude({ exitCode, tail: output.slice(-65_536), nowEpoch: RECORDED_AT, zone: 'Europe/Zurich' });
  const outcome = outcomeOf({
    end,
    exitCode,
    durationMs: seconds * 1000,
    outputBytes: output.length,
    leftovers: false,
    moved: false,
    turn: verdict,
    oomKilled: false,
    containerFailed: false,
  });
  return { ...verdict, outcome, turns, retries, problem: followed.problem() };
}

/** In one line, so that a table of recordings reads as one: `rate_limited rate_limit_account@1795973553 | 240+100c+60w>50 $0.002 1t`. */
export function inShort({ outcome, error, usage, finished, retries, problem }: Replayed): string {
  const why = error === null ? '' : ` ${error.classification}${error.resetAtEpoch === null ? '' : `@${error.resetAtEpoch}`}`;
  const end = finished === null ? '' : finished ? ' finished' : ' unfinished';
  const tries = retries.length > 0 ? ` ${retries.length} retries` : '';
  const used =
    usage === null
      ? ''
      : ` | ${usage.model ?? '?'} ${usage.input_tokens}+${usage.cached_tokens}c+${usage.cache_creation_tokens}w>${usage.output_tokens}${
          usage.cost_usd === null ? '' : ` $${Number(usage.cost_usd.toFixed(7))}`
        } ${usage.tool_call_count}t`;
  return `${outcome}${why}${end}${tries}${used}${problem === null ? '' : ` PROBLEM ${problem}`}`;
}

/** `claude/401.jsonl` -> `claude/401`. */
export function caseName(folder: string, file: string): string {
  return `${basename(folder)}/${basename(file, '.jsonl')}`;
}
