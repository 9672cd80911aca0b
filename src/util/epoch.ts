/** The end of the year 9999: later times can neither be written like any other nor be computed with for long before Date throws. */
const LATEST = 253_402_300_799_999;

/** Epoch ms of a time in a file, from 1970 to 9999; null for everything that no clock of ours has written. */
export function epochOf(text: unknown): number | null {
  const at = typeof text === 'string' ? Date.parse(text) : Number.NaN;
  return at >= 0 && at <= LATEST ? at : null;
}
