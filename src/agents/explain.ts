import { redactHead } from '../util/redact.ts';
import type { AgentAdapter, LineNews, TurnError, TurnFacts, TurnVerdict } from './adapter.ts';
import { endOf, meaningOf, turnWords, usageWords } from './explain-words.ts';
import { errorOfTail } from './failure-text.ts';
import { followTurn } from './turn.ts';

/** A line of a log as a person is shown it: redacted, then cut. */
interface Evidence {
  /** From 1. */
  line: number;
  text: string;
}

export interface Conclusion {
  about: 'limit' | 'auth' | 'billing' | 'provider' | 'failure' | 'turn' | 'usage' | 'tools' | 'retries' | 'adapter';
  says: string;
  evidence: Evidence | null;
}

interface Explanation {
  verdict: TurnVerdict;
  conclusions: Conclusion[];
}

export interface Explainer {
  /** Every line of the log, in order. */
  line(text: string): void;
  /** `exitCode` undefined: not known. Then the last lines are only said to mean something, should the process have failed. */
  conclude(facts: Omit<TurnFacts, 'exitCode'> & { exitCode: number | null | undefined }): Explanation;
}

/** So much of a line is shown. */
const SHOWN = 300;
/** Of the last lines of text, so many are kept: among them are the words of a run that failed. */
const KEPT = 200;

/** Reads a log as the round did and remembers for each conclusion the line that led to it: in the same memory for a log of any length. */
export function createExplainer(adapter: AgentAdapter, command: readonly string[] = []): Explainer {
  const ear: { heard: LineNews | undefined } = { heard: undefined };
  const turn = followTurn(overheard(adapter, ear), { command });
  const evidence = new Map<string, Evidence>();
  const lastTexts: Evidence[] = [];
  let number = 0;
  let tools = 0;
  let retries = 0;
  let lastRetry = '';

  function note(news: LineNews, line: Evidence): void {
    if (news.error) evidence.set(`error ${news.error.classification}`, line);
    if (news.usage) evidence.set('usage', line);
    if (news.turn) evidence.set('turn', line);
    if (news.tools) evidence.set('tools', line);
    if (news.retrying) evidence.set('retries', line);
    tools += news.tools?.length ?? 0;
    retries += news.retrying ? 1 : 0;
    lastRetry = news.retrying ?? lastRetry;
  }

  return {
    line(text) {
      number += 1;
      const isRecord = text.charCodeAt(0) === 0x7b;
      if (!isRecord && text.trim() !== '') {
        lastTexts.push({ line: number, text: text.slice(0, 1000) });
        if (lastTexts.length > 2 * KEPT) lastTexts.splice(0, KEPT);
      }
      if (adapter.lines === 'json' && !isRecord) return;
      ear.heard = undefined;
      turn.line(text);
      if (ear.heard !== undefined) note(ear.heard, { line: number, text: redactHead(text, SHOWN) });
    },
    conclude(facts) {
      const verdict = turn.conclude({ ...facts, exitCode: facts.exitCode ?? null });
      const { error, usage, finished } = verdict;
      const conclusions: Conclusion[] = [];
      const add = (about: Conclusion['about'], says: string, line: Evidence | null | undefined) =>
        conclusions.push({ about, says, evidence: line ?? null });

      if (error !== null) {
        const line = evidence.get(`error ${error.classification}`) ?? lineOf(error.raw, lastTexts);
        add(aboutOf(error), `${meaningOf(error)}${endOf(error, facts)}`, line);
      } else if (facts.exitCode === undefined && finished !== true) {
        const perhaps = errorOfTail(facts.tail);
        if (perhaps !== null)
          add(
            aboutOf(perhaps),
            `should the process have failed: ${meaningOf(perhaps)}${endOf(perhaps, facts)}`,
            lineOf(perhaps.raw, lastTexts),
          );
      }
      add('turn', turnWords(finished), finished === true ? evidence.get('turn') : null);
      if (usage !== null) add('usage', usageWords(usage), evidence.get('usage'));
      if (tools > 0) add('tools', `${tools} tool call${tools === 1 ? '' : 's'}, the last here`, evidence.get('tools'));
      if (retries > 0)
        add(
          'retries',
          `the CLI tried again by itself ${retries === 1 ? 'once' : `${retries} times`}, at last: ${lastRetry}`,
          evidence.get('retries'),
        );
      const problem = turn.problem();
      if (problem !== null) add('adapter', `the adapter itself is at fault: ${problem}`, null);
      return { verdict, conclusions };
    },
  };
}

/** The same adapter, with what it says of each line left where we can see it. */
function overheard(adapter: AgentAdapter, ear: { heard: LineNews | undefined }): AgentAdapter {
  return {
    ...adapter,
    read(command) {
      const reader = adapter.read(command);
      return {
        line(text) {
          ear.heard = reader.line(text);
          return ear.heard;
        },
        conclude: (facts) => reader.conclude(facts),
      };
    },
  };
}

const ABOUT: Record<TurnError['kind'], Conclusion['about']> = {
  rate_limited: 'limit',
  provider_error: 'provider',
  auth_error: 'auth',
  agent_error: 'failure',
};

function aboutOf({ kind, classification }: TurnError): Conclusion['about'] {
  return classification === 'billing' ? 'billing' : ABOUT[kind];
}

/** The line of text that an error was taken from. */
function lineOf(raw: string, lastTexts: readonly Evidence[]): Evidence | null {
  const found = raw === '' ? undefined : lastTexts.findLast(({ text }) => text.startsWith(raw.slice(0, 500)));
  return found === undefined ? null : { line: found.line, text: redactHead(found.text, SHOWN) };
}
