import * as z from 'zod';
import { type EventEntry, PYTHON, roundNum } from './entry.ts';

const files = z.array(z.string());

/** What was done with the work tree. `ref` is a full commit SHA. */
export const VCS_KINDS = {
  dirty_detected: {
    doc: 'The round left the tree dirty; its first 20 files.',
    since: PYTHON,
    emitted: 'now',
    fields: z.strictObject({ round_num: roundNum, files: files.max(20) }),
  },
  orphan_stashed: {
    doc: 'The left-over changes were stashed; `git stash apply <ref>` brings them back.',
    since: PYTHON,
    emitted: 'now',
    fields: z.strictObject({ round_num: roundNum, ref: z.string(), reason: z.string() }),
  },
  orphan_idempotent_skip: {
    doc: 'A stash of this round exists already and is seconds old: it was used again.',
    since: PYTHON,
    emitted: 'now',
    fields: z.strictObject({ round_num: roundNum, ref: z.string(), reason: z.string() }),
  },
  orphan_stash_failed: {
    doc: 'git could not stash the changes; the tree is as it was.',
    since: PYTHON,
    emitted: 'now',
    fields: z.strictObject({ round_num: roundNum, phase: z.string().nullable(), reason: z.string() }),
  },
  dirty_auto_committed: {
    doc: 'The left-over changes were committed (`vcs.dirty_action = "auto_commit"`).',
    since: PYTHON,
    emitted: 'now',
    fields: z.strictObject({ round_num: roundNum, files: files.max(20), ref: z.string() }),
  },
  dirty_commit_failed: {
    doc: 'git could not commit the changes (a hook refused, a time-out); the tree is as it was.',
    since: PYTHON,
    emitted: 'now',
    fields: z.strictObject({ round_num: roundNum, phase: z.string().nullable(), reason: z.string() }),
  },
  dirty_check_failed: {
    doc: 'git could not tell whether the tree is dirty; nothing was done with it.',
    since: PYTHON,
    emitted: 'now',
    fields: z.strictObject({ round_num: roundNum, reason: z.string() }),
  },
  dirty_unstashable: {
    doc: 'This dirt cannot be stashed (a submodule, a nested repository, no commit yet). Told once for each set of paths.',
    since: '0.1.0',
    emitted: 'now',
    fields: z.strictObject({ round_num: roundNum, paths: files, reason: z.string() }),
  },
  stale_index_lock_cleared: {
    doc: 'A git index.lock that no live process held was removed.',
    since: PYTHON,
    emitted: 'now',
    fields: z.strictObject({ lock_path: z.string(), round_num: roundNum }),
  },
  git_config_tampered: {
    doc: 'Something that makes git run programs (its configuration, hooks, attributes) changed since `serve` started; these are off from now on. Told once.',
    since: '0.1.0',
    emitted: 'now',
    fields: z.strictObject({ round_num: roundNum, paths: files }),
  },
  preexisting_snapshot: {
    doc: 'The tree was dirty before the first round: a commit object keeps it under `ref_name`, the tree itself is untouched.',
    since: '0.1.0',
    emitted: 'now',
    fields: z.strictObject({ ref: z.string(), ref_name: z.string(), files: files.max(20) }),
  },
} satisfies Record<string, EventEntry>;
