import type { Facts } from './facts.ts';

/** `stop` or `agent-runner ack auth` as the person must type it here: with the `--config` that this very question was asked with. */
export function commandLine({ configPath, configGiven }: Facts, verb: string): string {
  const whole = verb.startsWith('agent-runner') ? verb : `agent-runner ${verb}`;
  const ours = /^agent-runner( |$)/.test(whole) && !whole.includes('--config');
  return configGiven && ours ? `${whole} --config ${shellWord(configPath)}` : whole;
}

export function editCommand(path: string): string {
  return `${'$'}{EDITOR:-vi} ${shellWord(path)}`;
}

/** `text` as one word of a POSIX shell. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./~-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
