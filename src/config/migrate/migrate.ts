import { parseDocument } from '../document.ts';
import { type LoadedConfig, parseConfig } from '../load.ts';
import { positionFinder } from '../positions.ts';
import { ConfigProblems, dotted, type Problem } from '../problems.ts';
import { adopt } from './adopt.ts';
import { transforms } from './registry.ts';
import type { Finding, Transform, View } from './transform.ts';
import { stamp, stampVersion } from './transforms/schema-version.ts';
import type { StartChecks } from './transforms/start-checks.ts';

/** One thing that was done, or has to be. */
export interface MigrationItem {
  /** Of the transform, as in docs/migration.md. */
  id: string;
  since: string;
  /** Dotted; empty when it is about the file as a whole. */
  key: string;
  /** From 1: in the new text for what is left to do, in the text as it was just then for what was done. */
  line: number;
  message: string;
  /** What a person would do; empty for what was done. */
  remedy: string;
}

export interface Migration {
  /** The new text; the old one, byte for byte, when nothing was done. */
  text: string;
  applied: MigrationItem[];
  /** The file is not accepted, or no round can start with it, until a person has done these. */
  manual: MigrationItem[];
  /** Worth knowing; nothing needs to be done. */
  advice: MigrationItem[];
}

/** The predecessor's bound. A rewrite may make room for the next one; three passes are the most that was ever needed. */
const MOST_PASSES = 12;
const BYTE_ORDER_MARK = '\uFEFF';

/**
 * Brings the text of a configuration to what this program accepts, as far as that is sure. Pure. Each rewrite is adopted by itself, only
 * when it can be shown to do what it says; what is not sure is told. Throws ConfigProblems when the text is no TOML.
 */
export function migrateText(text: string, file: string, checks: StartChecks = () => []): Migration {
  const list = transforms(checks);
  const marked = text.startsWith(BYTE_ORDER_MARK);
  const start = look(marked ? text.slice(BYTE_ORDER_MARK.length) : text, file);
  let state = settle({ view: start, applied: marked ? [BYTE_ORDER_MARK_ITEM] : [], refused: new Map() }, list, file);
  const stamped = state.applied.length === 0 ? null : stamp(state.view);
  if (stamped !== null) state = settle(attempt(state, stampVersion, stamped, file), list, file);
  return { text: state.view.text, applied: state.applied, ...leftOver(list, state) };
}

interface State {
  view: View;
  applied: MigrationItem[];
  /** Why not, by transform and key. */
  refused: ReadonlyMap<string, string>;
}

/** Until no transform has a rewrite left that was not refused. */
function settle(state: State, list: readonly Transform[], file: string): State {
  let now = state;
  for (let pass = 0; pass < MOST_PASSES; pass += 1) {
    const before = now.applied.length;
    // What was refused may have become possible by what was done since.
    now = { ...now, refused: new Map() };
    for (const transform of list) {
      for (let next = nextRewrite(transform, now); next !== undefined; next = nextRewrite(transform, now))
        now = attempt(now, transform, next, file);
    }
    if (now.applied.length === before) return now;
  }
  throw new Error(`the rewrites of ${file} do not come to an end`);
}

function nextRewrite(transform: Transform, { view, refused }: State): Finding | undefined {
  return transform.find(view).find((finding) => finding.rewrite !== undefined && !refused.has(labelOf(transform, finding)));
}

function attempt({ view, applied, refused }: State, transform: Transform, finding: Finding, file: string): State {
  const result = adopt(view, finding, (edited) => look(edited, file));
  if ('view' in result) return { view: result.view, applied: [...applied, itemOf(transform, finding, view, true)], refused };
  return { view, applied, refused: new Map(refused).set(labelOf(transform, finding), result.refused) };
}

/** For docs/migration.md and reports: done before anything can be parsed, so it is no transform like the others. */
export const BYTE_ORDER_MARK_ITEM: MigrationItem = {
  id: 'byte-order-mark',
  since: 'agent-runner',
  key: '',
  line: 1,
  message: 'the byte order mark at the start was removed',
  remedy: '',
};

function look(text: string, file: string): View {
  const document = parseDocument(text, file);
  let loaded: LoadedConfig | null = null;
  let problems: readonly Problem[] = [];
  try {
    loaded = parseConfig(text, file);
  } catch (error) {
    if (!(error instanceof ConfigProblems)) throw error;
    problems = error.problems;
  }
  return { text, document, problems, loaded };
}

function leftOver(list: readonly Transform[], { view, refused }: State): Pick<Migration, 'manual' | 'advice'> {
  const manual: MigrationItem[] = [];
  const advice: MigrationItem[] = [];
  const spokenOf: string[] = [];
  for (const transform of list) {
    for (const finding of transform.find(view)) {
      const why = refused.get(labelOf(transform, finding));
      const message = why === undefined ? finding.message : `${finding.message.split(';', 1)}, but ${why}`;
      const item = itemOf(transform, { ...finding, message }, view, false);
      if (finding.advice) {
        advice.push(item);
        continue;
      }
      if (finding.ofProblem !== true) spokenOf.push(item.key);
      const isTold = manual.some((told) => told.key === item.key && told.message === item.message);
      const isCovered = finding.ofProblem === true && spokenOf.some((key) => covers(key, item.key));
      if (!isTold && !isCovered) manual.push(item);
    }
  }
  const byLine = (a: MigrationItem, b: MigrationItem) => a.line - b.line;
  return { manual: manual.sort(byLine), advice: advice.sort(byLine) };
}

/** A problem of a table is told by what was said of a key in it. */
function covers(told: string, key: string): boolean {
  return told === key || (key !== '' && told.startsWith(`${key}.`));
}

function itemOf({ id, since }: Transform, { key, message, remedy }: Finding, { text, problems }: View, done: boolean): MigrationItem {
  const line =
    typeof key === 'string' ? (problems.find((problem) => problem.key === key)?.line ?? 1) : positionFinder(text)(key, 'key').line;
  return { id, since, key: nameOf(key), line, message, remedy: done ? '' : remedy };
}

function labelOf({ id }: Transform, { key }: Finding): string {
  return `${id} ${nameOf(key)}`;
}

function nameOf(key: Finding['key']): string {
  return typeof key === 'string' ? key : dotted(key);
}
