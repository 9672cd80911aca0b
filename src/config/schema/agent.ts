import * as z from 'zod';
import { args, argv, none, oneOf, path, variables, whole, word } from './kinds.ts';

const shared = {
  name: none(word()).describe('A name for people. Nothing depends on it: the agent is known by the file name of `command[0]`.'),
  adapter: none(word())
    .meta({ default: 'by the agent’s own name' })
    .describe('What reads the CLI’s output: a shipped adapter, or the path of an ES module of your own.'),
  account: none(word())
    .meta({ default: 'the agent’s own name' })
    .describe('Scope of a rate limit: give two accounts behind one CLI two names, and they wait apart.'),
  env: variables().default({}).describe('Added to the environment of the agent; `PWD` stays `work_dir`. For secrets use `env_file`.'),
  env_file: none(path()).describe(
    'A file of `KEY=value` lines, mode 0600 or stricter, added to the environment; never in events, argv or `ps`.',
  ),
  prompt_arg_template: args()
    .default([])
    .describe('Arguments after `command`. With `prompt_delivery = "argv"` one of them must contain `{prompt}`, with `"stdin"` none may.'),
  prompt_delivery: oneOf('argv', 'stdin')
    .default('argv')
    .describe('How the agent gets its prompt. One argument holds at most 131,071 bytes; standard input has no such limit.'),
  sigterm_grace_s: whole(1)
    .default(10)
    .describe(
      'Seconds between the stop signal and SIGKILL for a CLI that ends its turn when asked (more than 12 counts as 12); others get 5.',
    ),
};

const fallbackTable = z.strictObject({ ...shared, preset: none(word()), command: none(argv()) });

export const agentTable = z.strictObject({
  preset: none(word()).describe('Take command, delivery, environment and ignore patterns from a shipped preset; keys given beside it win.'),
  command: argv().describe(
    'The agent CLI and its arguments. `command[0]` is looked up in the PATH that the agent gets; `{package}/` at the start of an item is the folder of agent-runner itself.',
  ),
  ...shared,
  exec_prefix: args()
    .default([])
    .describe('Put before `command`, e.g. `["docker", "run", ...]`; `{work_dir}` is filled in. The same for every phase.'),
  fallback: z
    .array(fallbackTable)
    .meta({ accepts: 'a list of tables' })
    .default([])
    .describe(
      'Further agents, a table `[[agent.fallback]]` each, used in order while those before are throttled or their credentials fail: docs/limits.md. Each is complete in itself (`preset` or `command`, and `adapter`, `account`, `env`, `env_file`, `prompt_arg_template`, `prompt_delivery`, `sigterm_grace_s`, `name`); `exec_prefix` is that of the agent.',
    ),
});
