/** Lines around a change that are shown too, as `diff -u` has it. */
const CONTEXT = 3;
/** Longest stretch of changed lines that is compared line by line; a longer one is shown as a whole. */
const MOST_COMPARED = 2_000;

type Step = readonly [sign: ' ' | '-' | '+', line: string];

/** What changed from `before` to `after` in the unified form of `diff -u`; empty when nothing did. Line endings are not shown. */
export function unifiedDiff(before: string, after: string, name: string): string {
  if (before === after) return '';
  const steps = stepsOf(linesOf(before), linesOf(after));
  const changed = steps.flatMap(([sign], at) => (sign === ' ' ? [] : [at]));
  const hunks: string[] = [];
  for (let first = 0; first < changed.length; ) {
    let last = first;
    while (last + 1 < changed.length && (changed[last + 1] ?? 0) - (changed[last] ?? 0) <= 2 * CONTEXT) last += 1;
    const from = Math.max(0, (changed[first] ?? 0) - CONTEXT);
    hunks.push(hunk(steps, from, Math.min(steps.length, (changed[last] ?? 0) + CONTEXT + 1)));
    first = last + 1;
  }
  return `--- ${name}\n+++ ${name} (migrated)\n${hunks.join('')}`;
}

function hunk(steps: readonly Step[], from: number, until: number): string {
  const count = (part: readonly Step[], other: '-' | '+') => part.filter(([sign]) => sign !== other).length;
  const above = steps.slice(0, from);
  const part = steps.slice(from, until);
  const head = `@@ -${count(above, '+') + 1},${count(part, '+')} +${count(above, '-') + 1},${count(part, '-')} @@\n`;
  return head + part.map(([sign, line]) => `${sign}${line}\n`).join('');
}

function linesOf(text: string): string[] {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

function stepsOf(a: readonly string[], b: readonly string[]): Step[] {
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail += 1;
  const same = (line: string): Step => [' ', line];
  const middle = compared(a.slice(head, a.length - tail), b.slice(head, b.length - tail));
  return [...a.slice(0, head).map(same), ...middle, ...a.slice(a.length - tail).map(same)];
}

/** By the longest common subsequence. */
function compared(a: readonly string[], b: readonly string[]): Step[] {
  if (a.length * b.length > MOST_COMPARED ** 2) return [...a.map((line): Step => ['-', line]), ...b.map((line): Step => ['+', line])];
  const width = b.length + 1;
  const longest = new Uint32Array((a.length + 1) * width);
  const at = (i: number, j: number) => longest[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1)
    for (let j = b.length - 1; j >= 0; j -= 1)
      longest[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const steps: Step[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    const old = a[i];
    const fresh = b[j];
    if (old !== undefined && old === fresh) {
      steps.push([' ', old]);
      i += 1;
      j += 1;
    } else if (old !== undefined && (fresh === undefined || at(i + 1, j) >= at(i, j + 1))) {
      steps.push(['-', old]);
      i += 1;
    } else {
      steps.push(['+', fresh ?? '']);
      j += 1;
    }
  }
  return steps;
}
