import { realpathSync, statSync } from 'node:fs';
import { adapterName } from '../../agents/registry.ts';
import { accountOf, agentIdentity } from '../../config/profile.ts';
import { resolveBinary } from '../../round/argv.ts';
import { agentInPath } from '../../round/checks/agent-binary.ts';
import type { CheckResult } from '../../round/checks/check.ts';
import { envFileReadable } from '../../round/checks/env-file.ts';
import { promptsPass } from '../../round/checks/prompt.ts';
import { envFileOf } from '../../service/install-checks.ts';
import { NO_ACCOUNTS, readAccounts } from '../../state/accounts.ts';
import { isoTime } from '../../util/clock.ts';
import { clockTime } from '../../util/local-time.ts';
import { type DoctorContext, type Finding, type ProjectContext, projectCheck } from '../check.ts';

/** The start-up checks of a round, so that doctor and round cannot disagree. */
export function asFindings(results: readonly CheckResult[], ok: string): Finding[] {
  const failed = results.flatMap((result): Finding[] =>
    result.ok ? [] : [{ status: 'failed', of: result.name, summary: result.reason, remedy: result.remedy, code: result.code }],
  );
  return failed.length > 0 ? failed : [{ status: 'ok', summary: ok }];
}

const input = (project: ProjectContext, { env }: DoctorContext) => ({ ...project, env });

export const agents = projectCheck(
  'agent',
  'each phase’s agent: the program that would be started, where it lies, which adapter reads it. It is never started',
  async (project, context) => {
    const results = await agentInPath(input(project, context));
    const { throttles, refusals } = readAccounts(project.paths) ?? NO_ACCOUNTS;
    return project.profiles.map(({ label, profile: { agent } }, i): Finding => {
      const of = label.replace(/^:/, '') || 'base';
      const result = results[i];
      if (result !== undefined && !result.ok)
        return { status: 'failed', of, summary: result.reason, remedy: result.remedy, code: result.code };
      const { work_dir: workDir } = project.loaded.config.runtime;
      const program = agent.exec_prefix[0] ?? agent.command[0];
      const found = resolveBinary(program, agent.env.PATH ?? context.env.PATH, workDir) ?? program;
      const real = realpathSync(found);
      const identity = agentIdentity(agent);
      const adapter = adapterName(identity, agent.adapter);
      const prefixed = agent.exec_prefix.length > 0;
      const throttle = throttles.find(
        ({ account, until }) => account === accountOf(agent) && Date.parse(until ?? '') > context.clock.now(),
      );
      const facts = {
        identity,
        adapter,
        program: found,
        real_path: real,
        modified_at: isoTime(statSync(real).mtimeMs),
        prompt_delivery: agent.prompt_delivery,
        account: accountOf(agent),
        throttled_until: throttle?.until ?? null,
        exec_prefix: prefixed,
      };
      const wall = (iso: string | null) => clockTime(Date.parse(iso ?? ''), context.clock.now());
      const refusal = refusals.find((one) => one.account === accountOf(agent) && Date.parse(one.next_try) > context.clock.now());
      const limited =
        (throttle === undefined ? '' : `; throttled until ${wall(throttle.until)} (${throttle.classification})`) +
        (refusal === undefined ? '' : `; its login was refused, tried again at ${wall(refusal.next_try)}`);
      const who = agent.account === null ? identity : `${identity} (account ${agent.account})`;
      const summary = `${who} by ${prefixed ? `${program} (exec_prefix), ` : ''}${found}, read by adapter ${adapter}${limited}`;
      if (real.startsWith(`${realpathSync(workDir)}/`)) {
        return {
          status: 'warning',
          of,
          summary: `${summary}; it lies in work_dir, where the agent can change it`,
          remedy: 'Install it elsewhere.',
          facts,
        };
      }
      return { status: 'ok', of, summary, facts };
    });
  },
);

export const prompts = projectCheck(
  'prompt',
  'each phase’s prompt can be read, is long enough and fits where it goes',
  async (project, context) =>
    asFindings(
      await promptsPass(input(project, context)),
      project.profiles
        .flatMap(({ profile }) => profile.prompt.files)
        .filter(isFirst)
        .join(', ') || 'none wanted',
    ),
);

export const envFiles = projectCheck(
  'env_file',
  'env files can be read, are nobody else’s to read, and have only KEY=value lines; that of the service too',
  async (project, context) => {
    const files = project.profiles.flatMap(({ profile }) => profile.agent.env_file ?? []).filter(isFirst);
    const found = files.length === 0 ? [NO_ENV_FILE] : asFindings(await envFileReadable(input(project, context)), files.join(', '));
    const units = (['user', 'system'] as const).flatMap((kind) => envFileOf(kind, project.loaded.project, context.env).warning ?? []);
    return [...found, ...units.map((words): Finding => ({ status: 'warning', of: 'service', summary: words }))];
  },
);

const NO_ENV_FILE: Finding = { status: 'info', summary: 'none is used' };

function isFirst(value: string, index: number, list: readonly string[]): boolean {
  return list.indexOf(value) === index;
}
