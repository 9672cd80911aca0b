import { basename } from 'node:path';
import type { Draft } from './draft.ts';
import { isPresetName } from './preset.ts';
import type { Finding, KeyPath, Report } from './problems.ts';

/** What `[[agent.fallback]]` must be to be one: an agent that can be started, with an account of its own. */
export function fallbacks({ agent }: Draft, report: Report): void {
  const known = new Map<string, string>();
  if (agent.command !== undefined) known.set(agent.account ?? basename(agent.command[0]), 'agent');
  for (const [index, fallback] of (agent.fallback ?? []).entries()) {
    const path = ['agent', 'fallback', index] as const;
    // Absent: it has a problem of its own. Null: it is not there.
    if (fallback.command === undefined) continue;
    if (fallback.command === null) {
      // An unknown preset is told already.
      if (fallback.preset == null || isPresetName(fallback.preset)) report(nothingToRun([...path, 'command']));
      continue;
    }
    const account = fallback.account ?? basename(fallback.command[0]);
    const before = known.get(account);
    if (before === undefined) known.set(account, `agent.fallback[${index}]`);
    else report(sharedAccount([...path, fallback.account == null ? 'command' : 'account'], account, before));
  }
}

function nothingToRun(path: KeyPath): Finding {
  return {
    code: 'AR-CFG-012',
    path,
    at: 'key',
    message: 'is missing, and so is preset; accepted: a list of texts, the program first, or the name of a preset',
    remedy: 'Add preset = "..." or command = [...] to [[agent.fallback]].',
  };
}

function sharedAccount(path: KeyPath, account: string, before: string): Finding {
  return {
    code: 'AR-CFG-025',
    path,
    at: 'value',
    message: `has the account ${JSON.stringify(account)}, which ${before} has already: throttled together, it could never stand in`,
    remedy: 'Give it an account of its own: account = "..." (any name), if its limits are others.',
  };
}
