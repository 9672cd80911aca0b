import { realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import type { AgentAdapter } from '../agents/adapter.ts';
import { guardModules, loadAdapter } from '../agents/load-adapter.ts';
import { locateProject } from '../config/locate.ts';
import { accountOf, agentIdentity, everyAgent, profileFor } from '../config/profile.ts';
import type { Agent, Config } from '../config/schema.ts';
import { isAsAccepted } from '../hooks/programs.ts';
import { layout } from '../state/layout.ts';
import { messageOf } from '../util/errors.ts';
import { note } from './output.ts';
import type { KnownRound } from './round-of-log.ts';
import type { GlobalOptions } from './verbs.ts';

/**
 * The adapter that the configuration names for the agent of this round, and that agent's command; null when it names none, when `log` is
 * no log of this project, or when the configuration has no such agent any more.
 */
export async function configuredAdapter(
  log: string,
  known: KnownRound,
  { config: path, configGiven }: Pick<GlobalOptions, 'config' | 'configGiven'>,
): Promise<{ adapter: AgentAdapter; command: readonly string[] } | null> {
  const { logDir } = locateProject(path, configGiven);
  if (known.agent === null || logDir === null || !isSameFolder(dirname(dirname(realpathSync(log))), logDir)) return null;
  try {
    // Only here: for a log of anywhere, the schema's library would be loaded for nothing.
    const { loaded } = (await import('../config/in-use.ts')).startConfig(path).inUse;
    const { work_dir: workDir, log_dir } = loaded.config.runtime;
    const agent = agentOfRound(loaded.config, known);
    if (agent === null || agent.adapter === null) return null;
    // A module runs with the rights of the person who asks, and the agent may have had it in hand.
    const reach = { workDir, logDir: log_dir, path: process.env.PATH };
    guardModules((module) => isAsAccepted(layout(log_dir), [module], reach));
    const adapter = await loadAdapter(agentIdentity(agent), agent.adapter, workDir, loaded.config.plugins.disable);
    return { adapter, command: agent.command };
  } catch (error) {
    note(`the adapter of the configuration is not used: ${messageOf(error).split('\n', 1)[0]}`);
    return null;
  }
}

/** The agent of the phase and fallback that ran; after an edit of the configuration, one of the same name and account. */
function agentOfRound(config: Config, { agent, account, phase, fallback }: KnownRound): Agent | null {
  const candidates = [profileFor(config, phase, fallback).agent, ...everyAgent(config)].filter((one) => agentIdentity(one) === agent);
  return candidates.find((one) => account === null || accountOf(one) === account) ?? candidates[0] ?? null;
}

function isSameFolder(a: string, b: string): boolean {
  try {
    return realpathSync(a) === realpathSync(b);
  } catch {
    return false;
  }
}
