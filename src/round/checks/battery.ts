import type { LoadedConfig } from '../../config/load.ts';
import type { TreeState } from '../../git/tree.ts';
import { adapterLoads } from './adapter.ts';
import { agentInPath } from './agent-binary.ts';
import type { Check, CheckResult } from './check.ts';
import { containerCanWork } from './container.ts';
import { envFileReadable } from './env-file.ts';
import { memoryCanBeBounded, pidNamespaceWorks } from './isolation.ts';
import { limitsCanBeCounted } from './limits.ts';
import { logDirWritable } from './log-dir.ts';
import { profilesToCheck } from './profiles.ts';
import { promptsPass } from './prompt.ts';
import { workDirIsGitRepo } from './work-dir.ts';

/** In the order in which they are told. */
const BATTERY: readonly Check[] = [
  logDirWritable,
  workDirIsGitRepo,
  promptsPass,
  agentInPath,
  adapterLoads,
  envFileReadable,
  containerCanWork,
  pidNamespaceWorks,
  memoryCanBeBounded,
  limitsCanBeCounted,
];

export interface BatteryVerdict {
  results: CheckResult[];
  failures: Extract<CheckResult, { ok: false }>[];
  verdict: 'pass' | 'permanent' | 'environment';
}

/** Every check, also after a failure, so that all problems are told at once. Starts no agent and changes nothing but a probe file. */
export async function runBattery(loaded: LoadedConfig, tree: TreeState, env: NodeJS.ProcessEnv): Promise<BatteryVerdict> {
  if (checksAreSkipped(env)) return { results: [], failures: [], verdict: 'pass' };
  const context = { loaded, profiles: profilesToCheck(loaded), env, tree };
  const found = await Promise.all(BATTERY.map((check) => check(context)));
  const results: CheckResult[] = [{ name: 'config_loaded', ok: true }, ...found.flat()];
  const failures = results.filter((result) => !result.ok);
  const verdict = failures.length === 0 ? 'pass' : failures.some(({ permanent }) => permanent) ? 'permanent' : 'environment';
  return { results, failures, verdict };
}

/** `AGENT_RUNNER_SKIP_STARTUP_CHECK`: a person takes the responsibility, for a prompt that is short on purpose, say. */
export function checksAreSkipped(env: NodeJS.ProcessEnv): boolean {
  return /^(1|true|yes|on)$/i.test(env.AGENT_RUNNER_SKIP_STARTUP_CHECK ?? '');
}

/** One line a failure, as `round` and `serve` print it. */
export function failureLine(failure: BatteryVerdict['failures'][number]): string {
  return `STARTUP FAIL: ${failure.name}: ${failure.reason} [${failure.code}] | how-to-fix: ${wholeRemedy(failure)}`;
}

/** What helps, with everything that is known. */
export function wholeRemedy({ remedy, detail }: BatteryVerdict['failures'][number]): string {
  return detail === undefined ? remedy : `${remedy} (${detail})`;
}
