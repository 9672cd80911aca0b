import type { AgentAdapter } from '../agents/adapter.ts';
import { loadAdapter } from '../agents/load-adapter.ts';
import { followTurn } from '../agents/turn.ts';
import { readEnvFile } from '../config/env-file.ts';
import { agentIdentity } from '../config/profile.ts';
import { startRun } from '../run/run.ts';
import type { RunReport, RunSpec } from '../run/types.ts';
import { systemClock } from '../util/clock.ts';
import { RunnerError } from '../util/errors.ts';
import { agentArgv, resolveBinary } from './argv.ts';
import type { RoundBodyInput, RoundBodyReport } from './body.ts';
import { checksAreSkipped } from './checks/battery.ts';
import { type ContainedRun, containRun } from './contained.ts';
import { agentEnvironment, ROUND_MARK } from './environment.ts';
import { isolation } from './isolation.ts';
import { tellNews } from './news.ts';
import { assemblePrompt, promptProblem } from './prompt.ts';
import { LONGEST_COOPERATIVE_GRACE_S, REAP_GRACE_S } from './stop-terms.ts';

/** One agent CLI, one turn: the prompt goes in, the log and the adapter read what comes out. */
export async function agentBody(input: RoundBodyInput): Promise<RoundBodyReport> {
  const { agent } = input.profile;
  const identity = agentIdentity(agent);
  const { runtime, plugins, monitor } = input.loaded.config;
  const adapter = await loadAdapter(identity, agent.adapter, runtime.work_dir, plugins.disable);
  const spec = agentRunSpec(input, adapter);
  const contained = containRun(spec, input, systemClock);
  const news = tellNews({ ...input, monitor, clock: systemClock });
  const turn = followTurn(adapter, { command: agent.command, ...news.options });
  input.emit('agent_spawn', { round_num: input.roundNum, timeout_s: input.profile.runtime.round_timeout_s });
  const start = async () =>
    startRun({
      onSpawned: input.onSpawned,
      ...(contained?.spec ?? spec),
      ...(await isolation(input, contained !== null)),
      lines: adapter.lines,
      onLine: turn.line,
      onGraceExtended: (working, ignored) =>
        input.emit('round_grace_extended', {
          round_num: input.roundNum,
          grace_s: input.loaded.config.runtime.max_grace_after_result_s,
          live_children: working,
          ignored_children: ignored,
        }),
      stop: input.stop,
      hurry: input.hurry,
    });
  const plain = await runOrAbandon(contained, start).finally(news.end);
  const { run, container } = contained === null ? { run: plain, container: null } : await contained.close(plain);
  const zone = contained === null ? zoneOfAgent(spec.env) : ZONE_OF_CONTAINERS;
  // The exit code of a run that we ended says nothing of the agent's own.
  const exitCode = run.end === 'exit' ? run.exitCode : null;
  const verdict = turn.conclude({ exitCode, tail: run.tail, nowEpoch: systemClock.now() / 1000, zone });
  const problem = turn.problem();
  if (problem !== null) input.warn(`the adapter is at fault, so that what it should have told is not known: ${problem}`);
  return { run, container, turn: verdict, identity };
}

/** Of images that nobody gave another. */
const ZONE_OF_CONTAINERS = 'UTC';

/** A time without a zone in the agent's words is one of its own zone. */
function zoneOfAgent(env: Record<string, string>): string {
  return env.TZ || Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** A bug that cuts the run short must not leave its container behind. */
async function runOrAbandon(contained: ContainedRun | null, start: () => Promise<RunReport>): Promise<RunReport> {
  try {
    return await start();
  } catch (error) {
    await contained?.abandon();
    throw error;
  }
}

/** All that decides how the agent is started; `round --dry-run` shows it and starts nothing. */
export function agentRunSpec(input: RoundBodyInput, adapter: AgentAdapter): RunSpec {
  const { profile, loaded } = input;
  const { runtime } = loaded.config;
  const { agent } = profile;
  const { text, skipped } = assemblePrompt(profile, input.contextJson);
  for (const file of skipped) input.warn(`prompt file ${file} cannot be read and was left out`);
  const unchecked = profile.prompt.files.length === 0 || checksAreSkipped(input.env);
  const problem = unchecked ? null : promptProblem(text, agent.prompt_delivery, agent.prompt_arg_template);
  if (problem !== null) {
    throw new RunnerError({
      code: 'AR-CHK-005',
      message: problem,
      remedy: 'edit the prompt files, or deliver the prompt by stdin',
      exit: 'config',
    });
  }
  const env = agentEnvironment({
    inherited: input.env,
    logDir: runtime.log_dir,
    roundNum: input.roundNum,
    roundId: input.roundId,
    phase: profile.phase,
    freshEyes: input.freshEyes,
    envFile: agent.env_file ? readEnvFile(agent.env_file) : {},
    configured: agent.env,
    workDir: runtime.work_dir,
  });
  const [program, ...args] = agentArgv(agent, text, runtime.work_dir);
  const cooperativeGraceMs = Math.min(agent.sigterm_grace_s, LONGEST_COOPERATIVE_GRACE_S) * 1000;
  return {
    argv: [resolveBinary(program, env.PATH, runtime.work_dir) ?? program, ...args],
    env,
    cwd: runtime.work_dir,
    stdin: agent.prompt_delivery === 'stdin' ? text : null,
    mark: { name: ROUND_MARK, value: input.roundId },
    log: { path: input.logPath, maxBytes: runtime.round_log_max_mb * 1024 * 1024 },
    hardTimeoutMs: profile.runtime.round_timeout_s * 1000,
    idleTimeoutMs: runtime.idle_timeout_s * 1000,
    ...(adapter.restingCpuMs === undefined ? {} : { restingCpuMs: adapter.restingCpuMs }),
    // Our own events and metrics would look like a busy agent.
    idleExclude: [runtime.log_dir],
    graceAfterResultMs: runtime.max_grace_after_result_s * 1000,
    ignorePatterns: runtime.grace_kill_ignore_patterns,
    termGraceMs: adapter.cooperativeStop ? cooperativeGraceMs : REAP_GRACE_S * 1000,
    stopSignal: adapter.cooperativeStop ?? 'SIGTERM',
  };
}
