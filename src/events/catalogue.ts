import type { z } from 'zod';
import { AGENT_KINDS } from './kinds/agent.ts';
import type { EventEntry } from './kinds/entry.ts';
import { MEMORY_KINDS } from './kinds/memory.ts';
import { MONITOR_KINDS } from './kinds/monitor.ts';
import { ROUND_KINDS } from './kinds/round.ts';
import { SERVE_KINDS } from './kinds/serve.ts';
import { SETUP_KINDS } from './kinds/setup.ts';
import { VCS_KINDS } from './kinds/vcs.ts';

/** The kinds by subject, in the order of docs/events.md. */
export const CATALOGUE_BY_SUBJECT = {
  Rounds: ROUND_KINDS,
  Agents: AGENT_KINDS,
  'Work tree': VCS_KINDS,
  'The loop': SERVE_KINDS,
  'Configuration and state': SETUP_KINDS,
  Memory: MEMORY_KINDS,
  Monitor: MONITOR_KINDS,
} as const;

/**
 * Every event kind. The kind's name is its version: fields are only added, never renamed, removed or given another meaning, and
 * readers ignore what they do not know. Loads zod: running code imports only the types below, the writer's check loads it lazily.
 */
export const CATALOGUE = {
  ...ROUND_KINDS,
  ...AGENT_KINDS,
  ...VCS_KINDS,
  ...SERVE_KINDS,
  ...SETUP_KINDS,
  ...MEMORY_KINDS,
  ...MONITOR_KINDS,
} satisfies Record<string, EventEntry>;

export type EventKind = keyof typeof CATALOGUE;
export type EventFields<K extends EventKind> = z.input<(typeof CATALOGUE)[K]['fields']>;
/** A line of the log, as the writer makes it. What a reader finds may be older or torn: see `StoredEvent` in reader.ts. */
export type EventRecord = { [K in EventKind]: { ts: string; event: K } & EventFields<K> }[EventKind];
