/** `45 s`, `12 min`, `3 h 05 min`, `2 d 4 h`: the way a person says it, rounded down, from milliseconds. */
export function humanDuration(ms: number): string {
  const s = Math.max(0, Math.floor(ms / 1000));
  if (s < 60) return `${s} s`;
  const min = Math.floor(s / 60);
  if (min < 60) return `${min} min`;
  const h = Math.floor(min / 60);
  if (h < 24) return min % 60 === 0 ? `${h} h` : `${h} h ${String(min % 60).padStart(2, '0')} min`;
  return h % 24 === 0 ? `${Math.floor(h / 24)} d` : `${Math.floor(h / 24)} d ${h % 24} h`;
}

/** Seconds with millisecond resolution, as `duration_s` in events. */
export function seconds(ms: number): number {
  return Math.round(ms) / 1000;
}
