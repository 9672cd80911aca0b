import { executableFingerprint } from '../git/harden.ts';
import type { Repo } from '../git/repo.ts';
import { type TreeState, treeState } from '../git/tree.ts';
import { writeJson } from '../state/atomic.ts';
import type { Layout } from '../state/layout.ts';
import { lookAtJson } from '../state/look.ts';
import { asStatus, readState } from '../state/serve-state.ts';
import type { RoundWorld } from './types.ts';

/**
 * What must be known of the work tree before any agent runs. Where our own last round left dirt behind, only those paths count as
 * somebody's work that did so before it. `recovered`: a dead supervisor's round was ended just now, so the dirt may be its agent's.
 */
export async function lookBefore(
  repo: Repo,
  paths: Layout,
  recovered: boolean,
): Promise<Pick<RoundWorld, 'gitTrust' | 'preexisting' | 'leftDirty'>> {
  const tree = await treeState(repo);
  const ours = recovered || readState(paths.status, asStatus)?.last_dirty === true;
  const dirty = tree.entries.map(({ path }) => path as string);
  const before = ours ? rememberedPreexisting(paths) : null;
  const preexisting = new Set(before === null ? (ours ? [] : dirty) : dirty.filter((path) => before.has(path)));
  rememberPreexisting(paths, preexisting);
  return {
    gitTrust: { fingerprint: tree.problem === null ? await executableFingerprint(repo) : '', tampered: false },
    preexisting,
    leftDirty: null,
  };
}

/** Before a round: what became dirty since the round before, while no agent ran, is a person's edit and not to be stashed by the next. */
export function noticePersonsWork({ preexisting, leftDirty, paths }: RoundWorld, tree: TreeState): void {
  if (leftDirty === null || tree.problem !== null) return;
  const known = preexisting.size;
  for (const { path } of tree.entries) if (!leftDirty.has(path)) preexisting.add(path);
  if (preexisting.size > known) rememberPreexisting(paths, preexisting);
}

/** Over a restart it cannot be told any more whose dirt it is. */
export function rememberPreexisting(paths: Layout, preexisting: ReadonlySet<string>): void {
  if (preexisting.size === 0 && lookAtJson(paths.preexisting).kind === 'missing') return;
  try {
    writeJson(paths.preexisting, { paths: [...preexisting] });
  } catch {
    // A full disk, or a log_dir that cannot be written: the start-up battery says so.
  }
}

function rememberedPreexisting(paths: Layout): Set<string> | null {
  const seen = lookAtJson(paths.preexisting);
  const list = seen.kind === 'ok' ? (seen.value as { paths?: unknown } | null)?.paths : null;
  return Array.isArray(list) ? new Set(list.filter((path) => typeof path === 'string')) : null;
}
