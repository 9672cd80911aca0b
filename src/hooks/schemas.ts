import * as z from 'zod';

/** What hooks get on standard input. Fields are only added; running code uses the types alone, docs/hooks.md is generated from here. */

const instant = z.string().describe('UTC with milliseconds: `2026-11-29T17:35:08.123Z`.');
const processes = z.array(z.object({ name: z.string().describe('The kernel’s short name, never arguments.'), pid: z.int() }));

const project = {
  schema_version: z.literal('1.0').describe('Of this document. It grows when a field is added.'),
  project: z.string().describe('Last part of `work_dir`.'),
  config_path: z.string(),
  work_dir: z.string().describe('Also the folder in which the program is started.'),
  log_dir: z.string(),
};

const hook = {
  ...project,
  dry_run: z.boolean().describe('`runtime.dry_run`: the hook should change nothing.'),
};

const round = {
  round_num: z.int(),
  round_id: z.string().describe('Unique; as in the events.'),
  phase: z.string().nullable(),
  agent: z.string().describe('Last part of the agent’s program.'),
  account: z.string().describe('`agent.account`; without one the same as `agent`.'),
  started_at: instant,
  log_path: z.string().describe('The round’s log; before the round there is none yet.'),
};

export const serveStartInput = z.object({
  ...hook,
  hook: z.literal('serve_start'),
  version: z.string().describe('Of agent-runner.'),
  pid: z.int().describe('Of serve.'),
  config_digest: z.string(),
  phases: z.array(z.string()),
});

export const preRoundInput = z.object({
  ...hook,
  hook: z.literal('pre_round'),
  ...round,
  fresh_eyes: z.boolean(),
  git_head: z.string().nullable(),
  context: z.record(z.string(), z.unknown()).describe('What `round-context.json` holds so far.'),
});

/** What a pre_round hook may print. */
export const preRoundOutput = z.object({
  context: z.record(z.string(), z.unknown()).optional().describe('Goes into `round-context.json` and the prompt, under `hooks`.'),
});

export const postRoundInput = z.object({
  ...hook,
  hook: z.literal('post_round'),
  ...round,
  ended_at: instant,
  outcome: z.string().describe('See the table of outcomes in docs/architecture.md.'),
  exit_code: z.int().nullable().describe('The agent’s; null when a signal ended it or it never started.'),
  signal: z.string().nullable(),
  duration_s: z.number(),
  moved: z.boolean().describe('HEAD or the tree is not what it was.'),
  head_before: z.string().nullable(),
  head_after: z.string().nullable(),
  usage: z.record(z.string(), z.unknown()).nullable().describe('Model, tokens, cost; null when the CLI tells none.'),
  wait: z
    .object({
      classification: z.string(),
      until: instant.nullable().describe('The end that was stated, if one was.'),
      raw: z.string().describe('The provider’s words, redacted.'),
    })
    .nullable()
    .describe('Why the provider refuses more for now.'),
  receipt: z
    .object({
      members: processes,
      signalled: processes,
      escaped: processes,
      survivors: processes,
      container_id: z.string().nullable(),
      duration_ms: z.number(),
    })
    .describe('Who was alive when the agent had ended, who had to be ended, who is left.'),
  problems: z.array(z.string()).describe('What a person should know, one line each, redacted.'),
});

export const notification = z.object({
  ...project,
  event: z.string().describe('An event kind, or `stopped`.'),
  ts: instant.describe('When it happened.'),
  sentence: z.string().describe('What `peek` says first, redacted.'),
  command: z.string().nullable().describe('The one command that answers, when a person is needed.'),
  repeated: z.int().describe('How often the same happened since it was told last and was kept back.'),
  fields: z.record(z.string(), z.unknown()).describe('The event’s own, as in docs/events.md, redacted.'),
});

/** Of `stopped`. */
export const stoppedFields = z.object({
  reason: z.string(),
  exit_code: z.int(),
  sentence: z.string(),
  remedy: z.string().nullable(),
  rounds_completed: z.int(),
  log_path: z.string().nullable().describe('Of the last round.'),
});

export type ServeStartInput = z.input<typeof serveStartInput>;
export type PreRoundInput = z.input<typeof preRoundInput>;
export type PostRoundInput = z.input<typeof postRoundInput>;
export type Notification = z.input<typeof notification>;
export type StoppedFields = z.input<typeof stoppedFields>;
