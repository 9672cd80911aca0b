import type { AgentAdapter } from './adapter.ts';
import { aider } from './aider.ts';
import { claude } from './claude.ts';
import { codewhale } from './codewhale.ts';
import { codex } from './codex.ts';
import { custom } from './custom.ts';
import { demo } from './demo.ts';
import { gemini } from './gemini.ts';
import { kimi } from './kimi.ts';
import { opencode } from './opencode.ts';
import { pi } from './pi.ts';
import { qwen } from './qwen.ts';

/** Every shipped adapter; a new CLI is one file and one line here. */
export const ADAPTERS: readonly AgentAdapter[] = [claude, codex, gemini, opencode, pi, qwen, aider, codewhale, kimi, demo, custom];

export const ADAPTER_NAMES: readonly string[] = ADAPTERS.map(({ name }) => name);

export function shippedAdapter(name: string): AgentAdapter | null {
  return ADAPTERS.find((adapter) => adapter.name === name) ?? null;
}

/** Its name for people: a module of one's own goes by its path, and is not loaded for that. */
export function adapterName(identity: string, configured: string | null): string {
  return configured ?? adapterOfIdentity(identity).name;
}

/** The shipped adapter of an agent's own name (scar 33: never the cosmetic one), else the careful one for CLIs that nobody here knows. */
export function adapterOfIdentity(identity: string): AgentAdapter {
  return shippedAdapter(identity) ?? custom;
}
