import type { LoadedConfig } from '../../config/load.ts';
import { type Profile, profileFor } from '../../config/profile.ts';
import type { TreeState } from '../../git/tree.ts';
import { agentInPath } from './agent-binary.ts';
import type { Check, CheckResult } from './check.ts';
import { envFileReadable } from './env-file.ts';
import { logDirWritable } from './log-dir.ts';
import { promptsPass } from './prompt.ts';
import { workDirIsGitRepo } from './work-dir.ts';

/** In the order in which they are told. */
const BATTERY: readonly Check[] = [logDirWritable, workDirIsGitRepo, promptsPass, agentInPath, envFileReadable];

export interface BatteryVerdict {
  results: CheckResult[];
  failures: Extract<CheckResult, { ok: false }>[];
  verdict: 'pass' | 'permanent' | 'environment';
}

/** Every check, also after a failure, so that all problems are told at once. Starts nothing and changes nothing but a probe file. */
export function runBattery(loaded: LoadedConfig, tree: TreeState, env: NodeJS.ProcessEnv): BatteryVerdict {
  if (checksAreSkipped(env)) return { results: [], failures: [], verdict: 'pass' };
  const context = { loaded, profiles: profilesToCheck(loaded), env, tree };
  const results: CheckResult[] = [{ name: 'config_loaded', ok: true }, ...BATTERY.flatMap((check) => check(context))];
  const failures = results.filter((result) => !result.ok);
  const verdict = failures.length === 0 ? 'pass' : failures.some(({ permanent }) => permanent) ? 'permanent' : 'environment';
  return { results, failures, verdict };
}

/** `AGENT_RUNNER_SKIP_STARTUP_CHECK`: a person takes the responsibility, for a prompt that is short on purpose, say. */
export function checksAreSkipped(env: NodeJS.ProcessEnv): boolean {
  return /^(1|true|yes|on)$/i.test(env.AGENT_RUNNER_SKIP_STARTUP_CHECK ?? '');
}

/** A phase is checked by itself only where it brings an agent or a prompt of its own. */
export function profilesToCheck({ config }: LoadedConfig): { label: string; profile: Profile }[] {
  const base = { label: '', profile: profileFor(config, null) };
  const own = config.phases.list
    .map((phase) => ({ label: `:${phase}`, profile: profileFor(config, phase) }))
    .filter(({ profile }) => profile.agent !== base.profile.agent || profile.prompt !== base.profile.prompt);
  return [base, ...own];
}

/** One line a failure, as `round` and `serve` print it. */
export function failureLine({ name, reason, code, remedy }: BatteryVerdict['failures'][number]): string {
  return `STARTUP FAIL: ${name}: ${reason} [${code}] | how-to-fix: ${remedy}`;
}
