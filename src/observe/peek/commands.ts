import type { Facts } from './facts.ts';

/** `stop` or `agent-runner ack auth` as the person must type it here: with the `--config` that this very question was asked with. */
export function commandLine({ configPath, configGiven, units }: Facts, verb: string): string {
  const named = verb.startsWith('agent-runner') ? verb : `agent-runner ${verb}`;
  // A serve in a terminal, beside a service that is there, would take the service's place and its lock.
  const isService = units.userUnit !== null || units.systemUnit !== null;
  const whole = isService && named === 'agent-runner serve' ? 'agent-runner start' : named;
  const ours = /^agent-runner( |$)/.test(whole) && !whole.includes('--config');
  const line = configGiven && ours ? `${whole} --config ${shellWord(configPath)}` : whole;
  return whole === 'agent-runner start' && units.userUnit === null ? `sudo ${line}` : line;
}

export function editCommand(path: string): string {
  return `${'$'}{EDITOR:-vi} ${shellWord(path)}`;
}

/** `text` as one word of a POSIX shell. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./~-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
