import type { Document } from '../document.ts';
import type { LoadedConfig } from '../load.ts';
import type { KeyPath, Problem } from '../problems.ts';
import type { Rewrite } from './rewrite.ts';

/** The file as it is now, looked at from every side. */
export interface View {
  text: string;
  document: Document;
  /** What this program would refuse; empty exactly when `loaded` is there. */
  problems: readonly Problem[];
  loaded: LoadedConfig | null;
}

/** One place of the file that a transform has something to say about. */
export interface Finding {
  key: KeyPath | string;
  message: string;
  /** What a person would do about it. */
  remedy: string;
  /** Absent: only a person can do it. */
  rewrite?: Rewrite;
  /** Nothing needs to be done: the file is accepted as it is. */
  advice?: boolean;
  /** A problem of the file in its own words: not told again when a transform has spoken of that key. */
  ofProblem?: boolean;
}

export interface Transform {
  /** Stable; in the event `config_migrated` and in docs/migration.md. */
  id: string;
  /** The version of the Python predecessor since which a file needs it; `agent-runner` where only this program asks for it. */
  since: string;
  /** `fix`: rewrites what it is sure of, and tells of the rest. `tell`: never rewrites. */
  kind: 'fix' | 'tell';
  /** For docs/migration.md: what it is about and what it does, in one or two sentences. */
  doc: string;
  find(view: View): Finding[];
}

/** Tells of those problems of the file for which `about` says yes. */
export function tellOf(id: string, since: string, doc: string, about: (problem: Problem) => boolean): Transform {
  return {
    id,
    since,
    kind: 'tell',
    doc,
    find: ({ problems }) => problems.filter(about).map(({ key, message, remedy }) => ({ key, message, remedy, ofProblem: true })),
  };
}
