/** Seconds that a unit file grants a stop; infinity for `infinity`, null when it does not say (systemd's default is 90). */
export function unitStopS(text: string): number | null {
  const value = [...text.matchAll(/^\s*Timeout(?:Stop)?Sec\s*=\s*(.*?)\s*$/gm)].at(-1)?.[1];
  if (value === undefined) return null;
  return value === 'infinity' ? Number.POSITIVE_INFINITY : spanOf(value, UNIT_SECONDS);
}

/**
 * Seconds that a compose file grants the service which runs this program; null when it grants nothing (compose's default is 10).
 * 'no concern': no service here runs `serve`. Read by indentation, without a YAML parser: the block of a service is what is
 * indented deeper than its name.
 */
export function composeGraceS(text: string): number | null | 'no concern' {
  const blocks = servicesOf(text).filter((block) => servesHere(block));
  if (blocks.length === 0) return 'no concern';
  const graces = blocks.map((block) => {
    const value = /^\s+stop_grace_period:\s*["']?([^"'#\n]+?)["']?\s*(?:#.*)?$/m.exec(block)?.[1];
    return value === undefined ? null : spanOf(value, GO_SECONDS);
  });
  return graces.includes(null) ? null : Math.min(...(graces as number[]));
}

/** An image of ours may also be an agent's alone: what counts is that `serve` runs, by its command or, without one, by the image's own. */
function servesHere(block: string): boolean {
  if (/agent-runner["',\s]+serve\b/.test(block)) return true;
  return /^\s*agent-runner:/.test(block) && !/^\s+command:/m.test(block);
}

function servicesOf(text: string): string[] {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '' && !/^\s*#/.test(line));
  const start = lines.findIndex((line) => /^services:\s*$/.test(line));
  if (start === -1) return [];
  const indent = /^ */.exec(lines[start + 1] ?? '')?.[0].length ?? 0;
  const blocks: string[][] = [];
  for (const line of lines.slice(start + 1)) {
    const depth = /^ */.exec(line)?.[0].length ?? 0;
    if (depth < indent || depth === 0) break;
    if (depth === indent) blocks.push([line]);
    else blocks.at(-1)?.push(line);
  }
  return blocks.map((block) => block.join('\n'));
}

/** systemd.time(7), as far as anybody writes it in a unit. */
const UNIT_SECONDS: Record<string, number> = {
  '': 1,
  s: 1,
  sec: 1,
  seconds: 1,
  m: 60,
  min: 60,
  minutes: 60,
  h: 3600,
  hr: 3600,
  hours: 3600,
  ms: 0.001,
  d: 86_400,
};
/** Go's durations, as compose takes them. */
const GO_SECONDS: Record<string, number> = { s: 1, m: 60, h: 3600, ms: 0.001 };

/** `30min 10s`, `1h30m`; null when it is neither. */
function spanOf(text: string, units: Record<string, number>): number | null {
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)\s*([a-z]*)\s*/gi)];
  if (parts.length === 0 || parts.map(([whole]) => whole).join('') !== text) return null;
  const seconds = parts.map(([, amount, unit = '']) => Number(amount) * (units[unit] ?? Number.NaN));
  const sum = seconds.reduce((total, one) => total + one, 0);
  return Number.isNaN(sum) ? null : sum;
}
