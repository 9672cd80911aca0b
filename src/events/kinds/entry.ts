import * as z from 'zod';

/** `now`: emitted by the code. `later`: its capability is not built yet. `never`: only read, from files of the Python predecessor. */
type Emitted = 'now' | 'later' | 'never';

export interface EventEntry {
  /** One line for docs/events.md. */
  doc: string;
  /** `python` for kinds of the Python predecessor (their fields are frozen, new ones are only added), else the version that brought it. */
  since: string;
  emitted: Emitted;
  fields: z.ZodObject;
}

export const PYTHON = 'python';

export const count = z.int().nonnegative();
export const roundNum = z.int().nonnegative();
/** Whole or fractional seconds, never negative. */
export const seconds = z.number().nonnegative();
/** `2026-11-29T17:35:08.123Z` */
export const instant = z.iso.datetime({ precision: 3 });
/** Kernel `comm` and pid; never argv, which may hold secrets. */
export const namedProcess = z.strictObject({ name: z.string(), pid: z.int() });
/** `matched`: the pattern of `runtime.grace_kill_ignore_patterns`. */
export const ignoredProcess = z.strictObject({ name: z.string(), pid: z.int(), matched: z.string().optional() });
/** Figures behind a verdict; which ones there are depends on the host. */
export const context = z.record(z.string(), z.union([z.number(), z.string(), z.boolean(), z.null()]));
