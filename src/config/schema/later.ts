import * as z from 'zod';
import { argv, argvs, decimalAboveZero, none, whole, words } from './kinds.ts';

/** Tables whose capabilities come later (capabilities.ts says which are there): known already, so that a file can be checked. */

export const limitsTable = z.strictObject({
  round_memory_max_mb: none(whole(1)).describe(
    'Megabytes of memory for all that a round started: held by the kernel where rounds have control groups with a memory controller, else measured every second, and the round is ended. Not with a container.',
  ),
  max_rounds_per_hour: none(whole(1)).describe('Wait when so many rounds were started within the last hour.'),
  max_cost_usd_per_day: none(decimalAboveZero()).describe(
    'Wait until midnight (of `schedule.timezone`) when a day has cost so many dollars. Each agent must tell its cost.',
  ),
  max_tokens_per_day: none(whole(1)).describe(
    'Wait until midnight when a day has used so many tokens: input without cache reads, output, and what was written to a cache.',
  ),
  max_cost_usd_total: none(decimalAboveZero()).describe(
    'Stop (exit 75) when all rounds since the last `ack budget` have cost so many dollars.',
  ),
  max_unproductive_rounds: none(whole(1)).describe('Stop (exit 75) after so many rounds in a row without a commit.'),
});

export const notifyTable = z.strictObject({
  command: none(argv()).describe('Run with the event as JSON on standard input, at most 10 s. See [hooks](hooks.md).'),
  on: words().default(['needs_human', 'stopped']).describe('Which events it is run for: kinds of [events](events.md), and `stopped`.'),
});

export const hooksTable = z.strictObject({
  serve_start: argvs().default([]).describe('Commands run when `serve` starts; a failure stops it (exit 78). See [hooks](hooks.md).'),
  pre_round: argvs().default([]).describe('Commands run before each round; they may add to its context.'),
  post_round: argvs().default([]).describe('Commands run after each round.'),
});

/** Other keys here belonged to the predecessor's Python plugins, which do not load: they warn. */
export const pluginsTable = z.looseObject({
  disable: words().default([]).describe('Names of adapters and hooks to leave out; an agent without its adapter is read as `custom`.'),
});

/** Their keys are fixed when they are built. */
export const openTable = () => z.looseObject({});
