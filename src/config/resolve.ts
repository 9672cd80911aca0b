import { resolve } from 'node:path';
import { packageRoot } from '../util/package.ts';
import type { PhaseDraft } from './draft.ts';
import { type PathBase, projectName, resolveInProject, resolveWorkDir } from './paths.ts';
import { accountOf, agentIdentity } from './profile.ts';
import type { Agent, Config, ConfigFile, PhaseOverride, Prompt, Schedule } from './schema.ts';

/** The predecessor's default, seconds. */
const DEFAULT_ROUND_TIMEOUT_S = 1800;

/** A file without problems as the program uses it: absolute paths, one name for each setting, phases laid over the base. */
export function resolveConfig(file: ConfigFile, phases: Record<string, PhaseDraft>, configFile: string): Config {
  const workDir = resolveWorkDir(file.runtime.work_dir, configFile);
  const base: PathBase = { workDir, project: projectName(workDir) };
  const at = (path: string) => resolveInProject(path, base);
  const orNull = (path: string | null) => (path === null ? null : at(path));

  const agent = finishAgent(file.agent, at);
  const { file: single, files, ...promptRest } = file.prompt;
  const prompt: Prompt = { ...promptRest, files: (files ?? [single as string]).map(at) };
  const { round_budget_s: budget, round_timeout_s: timeout, ...runtime } = file.runtime;

  return {
    ...file,
    agent,
    prompt,
    runtime: {
      ...runtime,
      round_timeout_s: timeout ?? budget ?? DEFAULT_ROUND_TIMEOUT_S,
      work_dir: workDir,
      log_dir: at(runtime.log_dir),
      stop_file: orNull(runtime.stop_file),
      narrative_file: orNull(runtime.narrative_file),
    },
    phases: {
      list: file.phases.list ?? [],
      phase_policy: file.phases.phase_policy,
      overrides: Object.fromEntries(Object.entries(phases).map(([name, phase]) => [name, overrideOf(phase, { file, prompt, at })])),
    },
  };
}

interface Base {
  file: ConfigFile;
  prompt: Prompt;
  at: (path: string) => string;
}

function overrideOf(phase: PhaseDraft, { file, prompt, at }: Base): PhaseOverride {
  const timeout = phase.round_timeout_s ?? phase.round_budget_s ?? phase.runtime?.round_timeout_s ?? phase.runtime?.round_budget_s;
  const noHooks = phase.disable_pre_round_hooks ?? phase.runtime?.disable_pre_round_hooks;
  const override: PhaseOverride = {};
  if (timeout != null) override.round_timeout_s = timeout;
  if (noHooks !== undefined) override.disable_pre_round_hooks = noHooks;
  if (phase.agent !== undefined) override.agent = finishAgent(mergeAgent(file.agent, phase.agent), at);
  if (phase.prompt?.files !== undefined) override.prompt = { ...prompt, files: phase.prompt.files.map(at) };
  if (phase.schedule !== undefined) override.schedule = mergeSchedule(file.schedule, phase.schedule);
  return override;
}

/** A preset in a phase brings another CLI: what named the base one (its adapter, its account) does not carry over. */
function mergeAgent(base: ConfigFile['agent'], own: NonNullable<PhaseDraft['agent']>): ConfigFile['agent'] {
  const inherited = own.preset == null ? base : { ...base, name: null, adapter: null, account: null };
  const agent = { ...inherited, ...own };
  // Who is named for a phase is meant (a review by another CLI than the author's): the base agent's fallbacks are not in its place.
  const isSame = agentIdentity(agent) === agentIdentity(base) && accountOf(agent) === accountOf(base);
  return { ...agent, fallback: isSame ? base.fallback : [] };
}

/** Windows replace the base ones as a whole; only the time zone is inherited. */
function mergeSchedule({ timezone }: Schedule, own: NonNullable<PhaseDraft['schedule']>): Schedule {
  return { timezone, run_windows: [], pause_windows: [], cron: [], ...own };
}

function finishAgent(agent: ConfigFile['agent'], at: (path: string) => string): Agent {
  const { command, exec_prefix: prefix } = agent;
  // Complete in itself, but for the prefix: what the base agent is given (its key, its account) is not a stranger's.
  const fallback = agent.fallback.map((own) =>
    finishAgent({ ...own, command: own.command ?? command, exec_prefix: prefix, fallback: [] }, at),
  );
  const [program, ...rest] = command;
  return {
    ...agent,
    fallback,
    command: [inPackage(program), ...rest.map(inPackage)],
    env_file: agent.env_file === null ? null : at(agent.env_file),
    adapter: agent.adapter !== null && /[/]|\.m?js$/.test(agent.adapter) ? at(agent.adapter) : agent.adapter,
  };
}

/** `{package}/...` names what is shipped with agent-runner, wherever it is installed: the bundled agent of the demo preset. */
function inPackage(token: string): string {
  return token.startsWith('{package}/') ? resolve(packageRoot(), token.slice('{package}/'.length)) : token;
}
