import { isoTime } from '../util/clock.ts';

/** What the message of one of our stashes says. */
export interface OrphanMessage {
  roundNum: number;
  phase: string | null;
  /** Epoch milliseconds, whole seconds. */
  at: number;
  /** Name of the linked work tree it came from: all of them share one list of stashes. Null for the main one. */
  worktree: string | null;
}

/** `ORPHAN R12 phase=build ts=2026-11-29T17:35:08Z`: the form of the Python predecessor, but always in UTC. */
export function orphanMessage({ roundNum, phase, at, worktree }: OrphanMessage): string {
  const words = [
    `ORPHAN R${roundNum}`,
    phase === null || phase === '' ? null : `phase=${oneWord(phase)}`,
    `ts=${isoTime(at).slice(0, 19)}Z`,
    worktree === null ? null : `worktree=${oneWord(worktree)}`,
  ];
  return words.filter((word) => word !== null).join(' ');
}

/** Reads the subject of a stash, with git's `On <branch>: ` in front or without. Null for a stash that is not ours. */
export function parseOrphanMessage(subject: string): OrphanMessage | null {
  const match = /^(?:On [^:]*: )?ORPHAN R(\d+)(?: phase=(\S+))? ts=(\S+)(?: worktree=(\S+))?$/.exec(subject);
  const at = Date.parse(match?.[3] ?? '');
  if (!match || Number.isNaN(at)) return null;
  return { roundNum: Number(match[1]), phase: match[2] ?? null, at, worktree: match[4] ?? null };
}

/** True for a stash of this very round (R1 is not R10) and work tree that is younger than `withinMs`. */
export function isSameOrphan(subject: string, wanted: OrphanMessage, withinMs: number): boolean {
  const found = parseOrphanMessage(subject);
  if (found === null || found.roundNum !== wanted.roundNum) return false;
  const worktree = wanted.worktree === null ? null : oneWord(wanted.worktree);
  return found.worktree === worktree && Math.abs(wanted.at - found.at) < withinMs;
}

function oneWord(text: string): string {
  return text.replace(/[\s\p{Cc}]+/gu, '-');
}
