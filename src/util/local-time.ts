/** `14:03`, or `2026-11-30 14:03` on another day than `now`: this machine's local time, because a person reads it beside a clock. */
export function clockTime(epochMs: number, now: number): string {
  return new Date(epochMs).toDateString() === new Date(now).toDateString() ? localTime(epochMs).slice(-5) : localTime(epochMs);
}

/** `2026-11-30 14:03`, for words that are read on another day. */
export function localTime(epochMs: number): string {
  const at = new Date(epochMs);
  const time = `${two(at.getHours())}:${two(at.getMinutes())}`;
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${time}`;
}

function two(n: number): string {
  return String(n).padStart(2, '0');
}
