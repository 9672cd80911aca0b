/** Times of the user's own programs, milliseconds. Tests shorten them. */
export interface HookLimits {
  /** All that one hook may take, its end included. */
  eachMs: number;
  /** The same for all hooks of one kind together: what a stop may have to wait for must not grow with the length of a list. */
  kindMs: number;
  /** From the start of a notification to its SIGTERM. */
  notifyMs: number;
  /** For the last notifications, when serve ends. */
  notifyCloseMs: number;
  /** Between SIGTERM and SIGKILL. */
  killAfterMs: number;
}

/** The predecessor gives hooks 60 s together; the contract gives each 60 s and a notification 10 s. */
export const HOOK_LIMITS: HookLimits = { eachMs: 60_000, kindMs: 120_000, notifyMs: 10_000, notifyCloseMs: 20_000, killAfterMs: 2_000 };

/** What one that does not even die of SIGKILL costs beyond it: the bound of process/command.ts. */
const NEVER_DIES_MS = 2_000;

/** How long a hook may run before it is told to end, so that it is gone within its share of `leftMs`. 0 = do not start it. */
export function timeForHook(leftMs: number, { eachMs, killAfterMs }: HookLimits): number {
  return Math.max(0, Math.min(eachMs, leftMs) - killAfterMs - NEVER_DIES_MS);
}

/** What `count` hooks of one kind may take, whole seconds: a term of the stop budget. */
export function hooksOfKindS(count: number, { eachMs, kindMs }: HookLimits = HOOK_LIMITS): number {
  return Math.min(count * eachMs, kindMs) / 1000;
}

/** What serve may wait for notifications at its end, whole seconds: the last one may have to be killed, and not die. */
export const NOTIFY_END_S = (HOOK_LIMITS.notifyCloseMs + HOOK_LIMITS.killAfterMs + NEVER_DIES_MS) / 1000;
