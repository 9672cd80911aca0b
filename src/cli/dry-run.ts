import { loadAdapter } from '../agents/load-adapter.ts';
import type { LoadedConfig } from '../config/load.ts';
import { accountOf, agentIdentity, phaseOf, profileFor } from '../config/profile.ts';
import { openRepo } from '../git/repo.ts';
import { treeState } from '../git/tree.ts';
import { hooksOf } from '../hooks/series.ts';
import { agentRunSpec } from '../round/agent-body.ts';
import { failureLine, runBattery, wholeRemedy } from '../round/checks/battery.ts';
import { contextJson, roundContext } from '../round/context.ts';
import { choosePhase } from '../round/phase.ts';
import { layout } from '../state/layout.ts';
import { expectedRoundNumber } from '../state/round-number.ts';
import { asStatus, readState } from '../state/serve-state.ts';
import { systemClock } from '../util/clock.ts';
import { messageOf } from '../util/errors.ts';
import { exitCode } from '../util/exit-codes.ts';
import { serveFacts } from './dry-run-facts.ts';
import { note, print, printJson } from './output.ts';

/** What `round` would do now: argv, names of the environment, prompt length, what serve would ask and every check. Starts nothing, writes nothing but a probe. */
export async function dryRun(loaded: LoadedConfig, wanted: string | undefined, json: boolean): Promise<number> {
  const { config } = loaded;
  const paths = layout(config.runtime.log_dir);
  const tree = await treeState(openRepo(config.runtime.work_dir, { logDir: paths.logDir, clock: systemClock }));
  const battery = await runBattery(loaded, tree, process.env);
  const roundNum = expectedRoundNumber(paths);
  const phase = choosePhase(config.phases.list, wanted, phaseOf(config, roundNum), 'person');
  const plan = await planOf(loaded, roundNum, phase);
  const checks = battery.results.map((result) => ({
    name: result.name,
    ok: result.ok,
    ...(result.ok ? {} : { reason: failureLine(result) }),
  }));

  if (json) printJson({ round_num: roundNum, phase, ...plan, checks });
  else {
    const unfit = 'error' in plan || battery.failures.length > 0;
    print(`round ${roundNum}${phase === null ? '' : ` (${phase})`} ${unfit ? 'could not' : 'would'} start in ${config.runtime.work_dir}:`);
    // What a check names is not told a second time as the reason why there is no plan.
    for (const [key, value] of 'error' in plan && battery.failures.length > 0 ? [] : Object.entries(plan))
      for (const line of linesOf(key, value)) print(`  ${line}`);
    if (!('error' in plan) && (plan.schedule !== null || plan.limits.length + plan.waits.length > 0))
      print('  serve waits for limits, schedule and waits; a single round does not');
    for (const result of battery.results)
      print(
        result.ok ? `  ok   ${result.name}` : `  FAIL ${result.name}: ${result.reason} [${result.code}]\n       ${wholeRemedy(result)}`,
      );
  }
  if ('error' in plan) return exitCode('config');
  return exitCode(battery.verdict === 'permanent' ? 'config' : battery.verdict === 'environment' ? 'environment' : 'ok');
}

/** An item of the plan for people; what is empty says nothing, and each sentence has a line. */
export function linesOf(key: string, value: unknown): string[] {
  if (value === null || (Array.isArray(value) && value.length === 0)) return [];
  if (Array.isArray(value) && SENTENCES.includes(key)) return value.map((sentence) => `${key}: ${sentence}`);
  return [`${key}: ${Array.isArray(value) ? value.map((part) => JSON.stringify(part)).join(' ') : value}`];
}

const SENTENCES: readonly string[] = ['limits', 'waits'];

async function planOf(loaded: LoadedConfig, roundNum: number, phase: string | null) {
  try {
    const profile = profileFor(loaded.config, phase);
    const paths = layout(loaded.config.runtime.log_dir);
    const context = contextJson(roundContext(paths, roundNum, systemClock.now(), phase, readState(paths.status, asStatus)));
    const spec = agentRunSpec(
      {
        loaded,
        profile,
        roundNum,
        roundId: 'dry-run',
        owner: '',
        freshEyes: false,
        contextJson: context,
        logPath: paths.roundLog(roundNum, systemClock.now()),
        leaf: null,
        env: process.env,
        stop: new AbortController().signal,
        hurry: new AbortController().signal,
        emit: () => {},
        warn: note,
        onSpawned: () => {},
        onContainer: () => {},
      },
      await loadAdapter(agentIdentity(profile.agent), profile.agent.adapter, loaded.config.runtime.work_dir, loaded.config.plugins.disable),
    );
    const byArgument = profile.agent.prompt_delivery === 'argv';
    const { fallback } = profile.agent;
    return {
      account: accountOf(profile.agent),
      ...(fallback.length === 0 ? {} : { fallbacks: fallback.map((one) => `${agentIdentity(one)} (account ${accountOf(one)})`) }),
      argv: spec.argv.map((token) => (token.length > 200 ? `<${Buffer.byteLength(token)} bytes>` : token)),
      prompt_delivery: profile.agent.prompt_delivery,
      prompt_bytes: byArgument ? Math.max(...spec.argv.map((token) => Buffer.byteLength(token))) : Buffer.byteLength(spec.stdin ?? ''),
      env_names: Object.keys(spec.env).sort(),
      timeout_s: spec.hardTimeoutMs / 1000,
      pid_namespace: loaded.config.runtime.pid_namespace,
      round_memory_max_mb: loaded.config.limits.round_memory_max_mb,
      pre_round_hooks: profile.runtime.disable_pre_round_hooks ? [] : hooksOf(loaded, 'pre_round').map(({ name }) => name),
      post_round_hooks: hooksOf(loaded, 'post_round').map(({ name }) => name),
      ...serveFacts(loaded, profile, fallback, paths, systemClock.now()),
    };
  } catch (error) {
    return { error: messageOf(error) };
  }
}
