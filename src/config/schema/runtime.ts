import * as z from 'zod';
import { flag, none, oneOf, path, regexes, whole, words } from './kinds.ts';

/** The two names of a round's wall, where both are taken: in [runtime] and in a phase. */
export const roundWall = {
  round_timeout_s: none(whole(1))
    .meta({ default: '1800' })
    .describe('Seconds that a round may take; nothing extends it. Then the agent and all it started are ended.'),
  round_budget_s: none(whole(1)).describe('Newer name of `round_timeout_s`; give one of the two.'),
};

export const preRoundHooks = {
  disable_pre_round_hooks: flag().default(false).describe('Skip `hooks.pre_round`.'),
};

export const runtimeTable = z.strictObject({
  work_dir: path().describe('The git work tree that the agent works in, relative to the folder of this file.'),
  log_dir: path().describe(
    'Where state, events and round logs live. `{project}` is the last part of `work_dir`. Keep it outside `work_dir`.',
  ),
  ...roundWall,
  restart_delay_s: whole(1).default(3).describe('Seconds between two rounds; doubled for each further short crash.'),
  ...preRoundHooks,
  round_log_retention: whole(0).default(0).describe('How many round logs to keep; 0 keeps all.'),
  round_log_max_mb: whole(1)
    .default(256)
    .describe('Megabytes of one round’s log: its head and a rolling tail are kept, the round goes on.'),
  idle_timeout_s: whole(0)
    .default(0)
    .describe('Seconds without output, CPU use and file changes after which a round counts as hung; 0 is off.'),
  max_grace_after_result_s: whole(0)
    .default(0)
    .describe('Seconds that an agent may stay after its result was seen and nobody works any more; 0 is off.'),
  grace_kill_ignore_patterns: regexes({ ignoreCase: false })
    .default([])
    .describe('Command lines of helper processes that do not count as working (Python regular expressions).'),
  transient_error_action: oneOf('back_off', 'skip', 'stop')
    .default('back_off')
    .describe(
      'After a rate limit or an outage of the provider: wait, go on at once, or stop `serve` when no fallback is free. A network that is down is waited for whatever this says.',
    ),
  max_rounds: none(whole(1)).describe('Stop `serve` after so many rounds; `--max-rounds` wins.'),
  stop_file: none(path()).describe('`serve` stops between rounds when this file exists.'),
  substrate_fingerprint_paths: words()
    .default([])
    .describe('Globs under `work_dir`: a hash over these files is recorded before and after each round.'),
  fresh_eyes_every_n: none(whole(1)).describe('Every n-th round sees `AGENT_RUNNER_FRESH_EYES=1`.'),
  dry_run: flag().default(false).describe('Told to hooks, which then should change nothing.'),
  narrative_file: none(path()).describe('Where the account of the rounds in words is written.'),
  pid_namespace: flag()
    .default(false)
    .describe(
      'Run each agent in a PID namespace of its own (Linux, `unshare`): its end is the end of everything in it. Not with a container.',
    ),
});
