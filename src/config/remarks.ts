import type { Draft } from './draft.ts';
import { hookName, isInterpreter } from './hook-name.ts';
import type { KeyPath, Report } from './problems.ts';
import { accountOf, agentIdentity } from './profile.ts';

/** What is accepted and hardly meant. A remark speaks only when the keys it needs could be read. */
export const REMARKS: readonly ((draft: Draft, warn: Report) => void)[] = [policyOfNoPhases, diskLevels, sharedInterpreter];

function policyOfNoPhases({ phases: { list, phase_policy: policy } }: Draft, warn: Report): void {
  if (policy !== 'skip' || list === undefined || (list !== null && list.length > 0)) return;
  warn({
    code: 'AR-CFG-026',
    path: ['phases', 'phase_policy'],
    at: 'value',
    message: 'has no effect: there is no phases.list to take the next phase from',
    remedy: 'Name the phases in phases.list, or remove the key.',
  });
}

function diskLevels({ monitor }: Draft, warn: Report): void {
  const { disk_warning_pct: warning, disk_critical_pct: critical } = monitor.host_health ?? {};
  if (warning === undefined || critical === undefined || critical >= warning) return;
  warn({
    code: 'AR-CFG-026',
    path: ['monitor', 'host_health', 'disk_critical_pct'],
    at: 'value',
    message: `found ${critical}, below disk_warning_pct, which is ${warning}: a disk is critical before anything warns`,
    remedy: 'Lower disk_warning_pct, or raise disk_critical_pct.',
  });
}

/** Two scripts of one interpreter are two agents to everybody but the file name of `command[0]`: a limit of the one would hold back the other. */
function sharedInterpreter({ agent, phases, overrides }: Draft, warn: Report): void {
  const known: { account: string; script: string; of: string }[] = [];
  const look = ({ command, account }: Named, path: KeyPath, of: string): void => {
    if (command == null) return;
    const script = scriptOf(command);
    const name = accountOf({ command, account: account ?? null });
    const other = known.find((one) => one.account === name && one.script !== script);
    known.push({ account: name, script, of });
    if (other === undefined || account != null || !isInterpreter(agentIdentity({ command }))) return;
    warn({
      code: 'AR-CFG-027',
      path,
      at: 'value',
      message: `has the account ${JSON.stringify(name)}, the name of its interpreter, and so has ${other.of}: a limit of the one holds back the other`,
      remedy: 'Give each an account of its own: account = "..." (any name).',
    });
  };
  look(agent, ['agent', 'command'], 'agent');
  // One that shares its account with an agent before it is refused: nothing to add.
  for (const [index, own] of (agent.fallback ?? []).entries())
    look(own, ['agent', 'fallback', index, 'command'], `agent.fallback[${index}]`);
  for (const name of phases.list ?? []) {
    const own = overrides[name]?.agent;
    if (own?.command === undefined) continue;
    const account = own.account ?? (own.preset == null ? agent.account : null);
    look({ command: own.command, account: account ?? null }, ['phases', name, 'agent', 'command'], `phases.${name}.agent`);
  }
}

type Named = { command?: readonly [string, ...string[]] | null; account?: string | null };

/** What tells two agents of one interpreter apart: their scripts; where none is named, the whole command. */
function scriptOf(command: readonly [string, ...string[]]): string {
  return hookName(command) === agentIdentity({ command }) ? JSON.stringify(command) : (command[1] ?? '');
}
