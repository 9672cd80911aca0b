import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startRun } from '../../../src/run/run.ts';
import type { RunSpec } from '../../../src/run/types.ts';
import { openScene, type Scene } from '../../support/run.ts';

let scene: Scene;
beforeEach(() => {
  scene = openScene();
});
afterEach(() => scene.close());

/** The scene's folder is the work tree; logs go elsewhere inside it. */
function run(script: string, changes: Partial<RunSpec> = {}) {
  const logs = join(scene.folder, 'logs');
  mkdirSync(logs);
  return startRun(
    scene.spec(['/bin/sh', '-c', script], {
      log: { path: join(logs, 'round.log'), maxBytes: 1_000_000 },
      idleTimeoutMs: 1_200,
      hardTimeoutMs: 4_000,
      ...changes,
    }),
  );
}

describe('the idle wall', () => {
  it('ends an agent without output, CPU and changed files', async () => {
    const report = await run('exec sleep 300');
    expect(report.end).toBe('idle');
    expect(report.durationMs).toBeGreaterThan(1_200);
    expect(report.durationMs).toBeLessThan(3_000);
  });

  it('output is a sign of life', async () => {
    expect((await run('while :; do echo x; sleep 0.2; done')).end).toBe('timeout');
  });

  it('CPU anywhere in the tree is a sign of life, with a leader that only waits', async () => {
    expect((await run('(setsid sh -c "while :; do :; done") & wait')).end).toBe('timeout');
  });

  it('a file that changes under the work tree is a sign of life', async () => {
    mkdirSync(join(scene.folder, 'deep/er'), { recursive: true });
    // Some daemon outside the tree does the writing, as an engine does for a container.
    const toucher = setInterval(() => mkdirSync(join(scene.folder, 'deep/er', String(process.hrtime.bigint()))), 300);
    try {
      expect((await run('exec sleep 300')).end).toBe('timeout');
    } finally {
      clearInterval(toucher);
    }
  });

  it('what the supervisor itself writes there is none', async () => {
    mkdirSync(join(scene.folder, 'events'));
    const toucher = setInterval(() => {
      mkdirSync(join(scene.folder, 'logs', String(process.hrtime.bigint())));
      mkdirSync(join(scene.folder, 'events', String(process.hrtime.bigint())));
    }, 300);
    try {
      expect((await run('exec sleep 300', { idleExclude: [join(scene.folder, 'events')] })).end).toBe('idle');
    } finally {
      clearInterval(toucher);
    }
  });

  it('is off by default', async () => {
    expect((await run('exec sleep 300', { idleTimeoutMs: 0, hardTimeoutMs: 2_500 })).end).toBe('timeout');
  });
});
