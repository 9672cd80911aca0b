/** `429 rate_limit, attempt 3 of 10`: what a CLI tries again, for `round_progress`. */
export function retryWords(why: readonly unknown[], attempt?: unknown, most?: unknown): string {
  const reason = why.filter((part) => (typeof part === 'string' && part !== '') || typeof part === 'number').join(' ');
  const count = typeof attempt === 'number' ? `, attempt ${attempt}${typeof most === 'number' ? ` of ${most}` : ''}` : '';
  return `${reason === '' ? 'unknown' : reason.slice(0, 200)}${count}`;
}
