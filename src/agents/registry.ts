import type { AgentAdapter } from './adapter.ts';
import { claude } from './claude.ts';
import { codex } from './codex.ts';
import { custom } from './custom.ts';
import { demo } from './demo.ts';

const ADAPTERS: readonly AgentAdapter[] = [claude, codex, demo, custom];

export const ADAPTER_NAMES: readonly string[] = ADAPTERS.map(({ name }) => name);

/** The adapter named in the configuration, else the one of the agent's own name, else `custom`. */
export function adapterFor(identity: string, configured?: string | null): AgentAdapter {
  const wanted = configured ?? identity;
  return ADAPTERS.find(({ name }) => name === wanted) ?? custom;
}
