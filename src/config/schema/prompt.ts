import * as z from 'zod';
import { anyText, flag, none, oneOf, path, paths, whole } from './kinds.ts';

export const promptTable = z.strictObject({
  file: none(path()).describe('The prompt file, read anew for each round. Either this or `files`.'),
  files: none(paths()).describe('Several prompt files, joined in order. The first must exist; a later one that is missing is skipped.'),
  inject_context: flag().default(true).describe('Give the agent the round’s number, phase and what the round before left behind.'),
  context_injection_mode: oneOf('prepend', 'file', 'none')
    .default('prepend')
    .describe('`prepend` puts that in front of the prompt; `round-context.json` under `log_dir` is written in any case.'),
  concat_separator: anyText().default('\n\n').describe('Between two prompt files.'),
  strip_yaml_frontmatter: flag()
    .default(true)
    .describe('Drop a leading `---` block of the first file: agent CLIs would take it for a flag.'),
});

export const vcsTable = z.strictObject({
  dirty_action: oneOf('stash', 'ignore', 'auto_commit')
    .default('stash')
    .describe('What happens to uncommitted changes that a finished round leaves.'),
  stash_idempotency_s: whole(1).default(5).describe('Seconds within which a second stash of the same round is skipped.'),
  preexisting: oneOf('snapshot', 'refuse')
    .default('snapshot')
    .describe(
      'A work tree that is dirty when `serve` starts: keep a commit of it under `refs/agent-runner/` (the tree is not touched), or refuse to start.',
    ),
});
