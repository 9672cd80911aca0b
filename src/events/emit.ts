import type { EventFields, EventKind } from './catalogue.ts';

/** Appends one event; never throws and never blocks a round: an event that cannot be written is counted and told later. */
export type Emit = <K extends EventKind>(kind: K, fields: EventFields<K>) => void;
