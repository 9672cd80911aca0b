import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { basename } from 'node:path';
import type { TurnVerdict } from '../agents/adapter.ts';
import { type Conclusion, createExplainer } from '../agents/explain.ts';
import { guessAgent } from '../agents/guess.ts';
import { loadAdapter } from '../agents/load-adapter.ts';
import { outcomeOf } from '../round/outcome.ts';
import { createLineReader } from '../run/lines.ts';
import { errnoOf, messageOf, RunnerError } from '../util/errors.ts';
import { configuredAdapter } from './agent-of-round.ts';
import { print, printJson, styling } from './output.ts';
import { findProject } from './project.ts';
import { type KnownRound, newestRoundLog, roundOfLog } from './round-of-log.ts';
import type { GlobalOptions } from './verbs.ts';

interface ExplainOptions extends GlobalOptions {
  /** Null: that of the newest round. */
  log: string | null;
  agent: string | null;
  exitCode: number | null;
}

/** The first so many bytes tell whose log it is. */
const HEAD_BYTES = 256 * 1024;
/** What a round gives to its adapter of the end of the output. */
const TAIL_BYTES = 64 * 1024;
const PIECE_BYTES = 256 * 1024;

/** What the adapter makes of a log, and for each conclusion the line that led to it. */
export async function runExplain(options: ExplainOptions): Promise<number> {
  const { agent, exitCode, json, color } = options;
  const log = options.log ?? newestLog(options);
  const file = openLog(log);
  try {
    const known = roundOfLog(log);
    const who = agent ?? known.agent ?? guessAgent(bytesAt(file.descriptor, 0, HEAD_BYTES));
    const configured = agent === null ? await configuredAdapter(log, known, options) : null;
    const adapter = configured?.adapter ?? (await loadAdapter(who ?? 'custom', agent, process.cwd()));
    const explainer = createExplainer(adapter, configured?.command);
    let lines = 0;
    eachLine(file.descriptor, (line) => {
      lines += 1;
      explainer.line(line);
    });
    const facts = {
      exitCode: exitCode ?? known.exitCode,
      tail: bytesAt(file.descriptor, Math.max(0, file.size - TAIL_BYTES), TAIL_BYTES),
      // A distance such as "in 20 s" counts from when it was written.
      nowEpoch: file.modifiedMs / 1000,
      zone: process.env.TZ || Intl.DateTimeFormat().resolvedOptions().timeZone,
    };
    const { verdict, conclusions } = explainer.conclude(facts);
    const source =
      agent !== null
        ? 'as told'
        : configured !== null
          ? 'as agent.adapter says'
          : known.agent !== null
            ? 'by the events beside it'
            : who !== null
              ? 'by its records'
              : 'a guess';
    // A refusal or a finished turn decides whatever the exit code was.
    const decided = facts.exitCode !== undefined || verdict.error !== null || verdict.finished === true;
    const outcome = known.outcome ?? (decided ? ownOutcome(facts.exitCode ?? null, file.size, verdict) : null);
    const report = {
      log,
      lines,
      bytes: file.size,
      agent: adapter.name,
      agent_known: source,
      exit_code: facts.exitCode ?? null,
      outcome,
      ...verdict,
      conclusions,
    };
    if (json) printJson(report);
    else printReport(report, known, color);
    return 0;
  } finally {
    closeSync(file.descriptor);
  }
}

function newestLog(options: ExplainOptions): string {
  const { rounds } = findProject(options).paths;
  const log = newestRoundLog(rounds);
  if (log !== null) return log;
  throw new RunnerError({
    code: 'AR-AGT-004',
    message: `no round has left a log in ${rounds} yet`,
    remedy: "'agent-runner round' runs one; or name a log",
    exit: 'usage',
  });
}

/** Where no event tells: as if the round had ended by itself, and not within a minute. */
function ownOutcome(exitCode: number | null, outputBytes: number, turn: TurnVerdict): string {
  return outcomeOf({
    end: 'exit',
    exitCode,
    durationMs: Number.POSITIVE_INFINITY,
    outputBytes,
    leftovers: false,
    moved: true,
    turn,
    oomKilled: false,
    containerFailed: false,
  });
}

interface Report {
  log: string;
  lines: number;
  agent: string;
  agent_known: string;
  exit_code: number | null;
  outcome: string | null;
  conclusions: readonly Conclusion[];
}

function printReport({ log, lines, agent, agent_known, exit_code, outcome, conclusions }: Report, known: KnownRound, color: boolean): void {
  const style = styling(color);
  print(`${basename(log)}: ${lines} line${lines === 1 ? '' : 's'}, read as ${agent} (${agent_known})`);
  for (const { about, says, evidence } of conclusions) {
    print(`\n${style('bold', about.padEnd(9))}${says}`);
    if (evidence !== null) print(style('dim', `         line ${evidence.line}: ${evidence.text}`));
  }
  const exit = known.exitCause ?? (exit_code === null ? 'exit code not known: --exit-code' : `exit ${exit_code}`);
  print(`\n${style('bold', 'outcome  ')}${outcome ?? 'not known'} (${exit}${known.outcome === null ? '' : '; as the round recorded it'})`);
}

function openLog(log: string): { descriptor: number; size: number; modifiedMs: number } {
  try {
    // The agent can put anything in the place of its log: without O_NONBLOCK the open of a FIFO waits for a writer for ever.
    const descriptor = openSync(log, constants.O_RDONLY | constants.O_NONBLOCK);
    const stat = fstatSync(descriptor);
    if (!stat.isFile()) {
      closeSync(descriptor);
      throw new Error(stat.isDirectory() ? 'it is a directory' : 'it is not a regular file');
    }
    return { descriptor, size: stat.size, modifiedMs: stat.mtimeMs };
  } catch (error) {
    throw new RunnerError({
      code: 'AR-AGT-004',
      message: `${log} cannot be read: ${errnoOf(error) === 'ENOENT' ? 'there is no such file' : messageOf(error)}`,
      remedy: "Name the log of a round: 'agent-runner peek' shows where they are",
      exit: 'usage',
      cause: error,
    });
  }
}

function bytesAt(descriptor: number, from: number, length: number): string {
  const bytes = Buffer.alloc(length);
  return bytes.toString('utf8', 0, readSync(descriptor, bytes, 0, length, from));
}

/** One buffer for the whole file: with a fresh one for each piece, a log of gigabytes takes 60 MB more. */
function eachLine(descriptor: number, onLine: (line: string) => void): void {
  const reader = createLineReader('all', onLine);
  const buffer = Buffer.allocUnsafe(PIECE_BYTES);
  for (let got = -1, at = 0; got !== 0; at += got) {
    got = readSync(descriptor, buffer, 0, buffer.length, at);
    reader.push(buffer.subarray(0, got));
  }
  reader.end();
}
