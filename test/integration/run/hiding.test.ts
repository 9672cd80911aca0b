import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Isolation, tryToHide } from '../../support/hiding.ts';
import { testLeaf } from '../../support/leaf.ts';
import { namespaceHere } from '../../support/namespace.ts';
import { requirePart } from '../../support/parts.ts';
import { openScene } from '../../support/run.ts';
import { type Cell, MEANS, type Means, type Measured, MOMENTS, TRICKS, type Trick } from '../../support/tricks.ts';

/** `AGENT_RUNNER_TEST_WRITE=1` measures it anew, and `npm run docs` shows it. */
const FILE = resolve(import.meta.dirname, '../../fixtures/isolation.json');
const WRITE = process.env.AGENT_RUNNER_TEST_WRITE === '1';
const stored = JSON.parse(readFileSync(FILE, 'utf8')) as Measured;
const measured = structuredClone(stored);

describe.each(Object.keys(MEANS) as Means[])('ended by: %s', (means) => {
  it.for(Object.keys(TRICKS) as Trick[])('scar 12, field bug 12: a tool that hides by %s', async (trick, context) => {
    requirePart(context, 'linux', 'python3');
    if (means === 'leaf') requirePart(context, 'cgroup2');
    const pidNamespace = means === 'namespace' ? await namespaceHere(context) : undefined;
    const cells: Partial<Record<string, Cell>> = {};
    for (const moment of MOMENTS) {
      const scene = openScene();
      try {
        const isolation: Isolation = { ...(means === 'leaf' ? { leaf: testLeaf() } : {}), ...(pidNamespace ? { pidNamespace } : {}) };
        const cell = await tryToHide(scene, trick, means, moment, isolation);
        if (!WRITE) expect(cell.lives, moment).toBe(stored[trick]?.[means][moment].lives);
        expect(cell.ms).toBeLessThan(3_000);
        cells[moment] = cell;
      } finally {
        await scene.close();
      }
    }
    measured[trick] = { ...measured[trick], [means]: cells } as Measured[Trick];
  });
});

it('nobody hides from a control group or a PID namespace', () => {
  if (WRITE) writeFileSync(FILE, `${JSON.stringify(measured, null, 2)}\n`);
  const table = WRITE ? measured : stored;
  expect(Object.keys(table)).toEqual(Object.keys(TRICKS));
  for (const row of Object.values(table)) {
    for (const means of ['leaf', 'namespace'] as const) for (const moment of MOMENTS) expect(row[means][moment].lives).toBe(false);
  }
});
