import * as z from 'zod';
import { agentTable } from './schema/agent.ts';
import { formatVersion } from './schema/kinds.ts';
import { hooksTable, limitsTable, notifyTable, openTable, pluginsTable } from './schema/later.ts';
import { monitorTable } from './schema/monitor.ts';
import { phasesTable } from './schema/phases.ts';
import { promptTable, vcsTable } from './schema/prompt.ts';
import { runtimeTable } from './schema/runtime.ts';
import { scheduleTable } from './schema/schedule.ts';

/** The whole file: the one place that knows keys, kinds, defaults and their one-line documentation. */
export const configTable = z.strictObject({
  schema_version: formatVersion().default(1).describe('Version of this file’s format.'),
  agent: agentTable,
  runtime: runtimeTable,
  prompt: promptTable,
  vcs: vcsTable,
  phases: phasesTable,
  schedule: scheduleTable,
  limits: limitsTable,
  monitor: monitorTable,
  notify: notifyTable,
  hooks: hooksTable,
  pipeline: openTable(),
  sandbox: openTable(),
  web: openTable(),
  plugins: pluginsTable,
});

/** Every leaf as its own schema gave it; paths still as written. */
export type ConfigFile = z.output<typeof configTable>;

/** An agent that can run; its fallbacks, in order, have none of their own. */
export type Agent = Omit<ConfigFile['agent'], 'fallback'> & { fallback: Agent[] };
export type Schedule = ConfigFile['schedule'];

/** `file` and `files` are one list here: absolute paths, empty only in a phase that goes without a prompt. */
export type Prompt = Omit<ConfigFile['prompt'], 'file' | 'files'> & { files: string[] };

export type Runtime = Omit<ConfigFile['runtime'], 'round_timeout_s' | 'round_budget_s'> & { round_timeout_s: number };

/** What a phase changes, each part complete: laid over the base already. */
export interface PhaseOverride {
  round_timeout_s?: number;
  disable_pre_round_hooks?: boolean;
  agent?: Agent;
  prompt?: Prompt;
  schedule?: Schedule;
}

/** The configuration as the program uses it. Keys keep the file's own names; every path is absolute; none is null. */
export interface Config extends Omit<ConfigFile, 'agent' | 'runtime' | 'prompt' | 'phases'> {
  agent: Agent;
  runtime: Runtime;
  prompt: Prompt;
  phases: { list: string[]; phase_policy: 'wait' | 'skip'; overrides: Record<string, PhaseOverride> };
}
