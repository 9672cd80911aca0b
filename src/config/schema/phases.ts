import * as z from 'zod';
import { agentTable } from './agent.ts';
import { none, oneOf, paths, word } from './kinds.ts';
import { preRoundHooks, roundWall } from './runtime.ts';
import { scheduleTable } from './schedule.ts';

/** `[phases.<name>]`. Only keys that are present are read: everything else comes from the base tables. */
const phaseTable = z.strictObject({
  ...roundWall,
  ...preRoundHooks,
  agent: agentTable.omit({ exec_prefix: true, fallback: true }),
  runtime: z.strictObject({ ...roundWall, ...preRoundHooks }),
  prompt: z.strictObject({
    files: paths().describe('Prompt files of this phase instead of the base ones; `[]` is a round without a prompt.'),
  }),
  schedule: scheduleTable,
  pipeline: z.unknown().meta({ accepts: 'a table' }).describe('A gated pipeline as the body of this phase’s rounds.'),
});

export const phasesTable = z
  .object({
    list: none(z.array(word()).meta({ accepts: 'a list of names' })).describe(
      'Names of the phases; round n takes number (n - 1) modulo their count.',
    ),
    phase_policy: oneOf('wait', 'skip')
      .default('wait')
      .describe('When the phase whose turn it is may not run now: wait for it, or take the next that may.'),
  })
  .catchall(phaseTable);
