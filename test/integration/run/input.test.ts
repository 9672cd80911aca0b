import { readdirSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openScene, type Scene } from '../../support/run.ts';

let scene: Scene;
beforeEach(() => {
  scene = openScene();
});
afterEach(() => scene.close());

const EIGHT_MEGABYTES = 'prompt äöü\n'.repeat(620_000);

describe('standard input', () => {
  it('is delivered byte for byte and then ends', async () => {
    const report = await scene.run(['/bin/sh', '-c', 'cat | cksum; echo end'], { stdin: EIGHT_MEGABYTES });
    const expected = await scene.run(['/bin/sh', '-c', `cksum; echo end`], { stdin: EIGHT_MEGABYTES });
    expect(report.tail).toBe(expected.tail);
    expect(report.tail).toContain(` ${Buffer.byteLength(EIGHT_MEGABYTES)}\nend`);
  });

  it('field bug 6: without a prompt the agent reads an end at once, not a terminal and not an open pipe', async () => {
    const report = await scene.run(['/bin/sh', '-c', 'cat; echo eof'], { hardTimeoutMs: 5_000 });
    expect(report).toMatchObject({ end: 'exit', exitCode: 0, tail: 'eof\n' });
    expect(report.durationMs).toBeLessThan(1_000);
  });

  it('scar 20, reference case 6: 8 MB to an agent that never reads do not delay the hard wall; nothing of it is in any argv', async () => {
    const report = await scene.run(['/bin/sleep', '300'], { stdin: EIGHT_MEGABYTES, hardTimeoutMs: 500 });
    expect(report).toMatchObject({ end: 'timeout', exitCode: null, signal: 'SIGTERM' });
    expect(report.durationMs).toBeLessThan(2_000);
    expect(report.receipt.survivors).toEqual([]);
  });

  it('field bug 5: 8 MB to an agent that exits at once, fifty times: its exit code each time, no EPIPE, no descriptor left', async () => {
    const before = readdirSync('/proc/self/fd').length;
    for (let round = 0; round < 50; round++) {
      const report = await scene.run(['/bin/sh', '-c', 'exit 7'], { stdin: EIGHT_MEGABYTES });
      expect(report).toMatchObject({ end: 'exit', exitCode: 7, signal: null });
    }
    expect(readdirSync('/proc/self/fd').length).toBeLessThanOrEqual(before + 2);
  });

  it('an empty prompt is an empty input', async () => {
    expect((await scene.run(['/usr/bin/wc', '-c'], { stdin: '' })).tail.trim()).toBe('0');
  });
});
