import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { runCommand } from '../../src/process/command.ts';
import { systemClock } from '../../src/util/clock.ts';
import { project } from '../support/project.ts';
import { until } from '../support/wait.ts';

const SOAK = fileURLToPath(new URL('../../bench/soak.mjs', import.meta.url));
const KIB = 1024;

describe('reference case 29: round after round, serve holds nothing', () => {
  it('keeps under 8 KiB a round when what ran once is warm, and neither a listener nor a timer', async () => {
    const { code, stdout, stderr } = await runCommand([process.execPath, SOAK, '120', '--mock', '--json'], { timeoutMs: 150_000 });
    expect(code, stderr).toBe(0);
    const looks = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const at = (round: number) => looks.find((look) => look.round === round);
    expect((at(120).heap_used - at(60).heap_used) / 60).toBeLessThan(8 * KIB);
    expect((at(120).external - at(60).external) / 60).toBeLessThan(8 * KIB);
    expect(at(120).listeners).toBe(at(10).listeners);
    expect(at(120).resources.Timeout).toBe(at(10).resources.Timeout);
    // The contract's 80 MB are for Node 20; the newer ones are 10 MB bigger before they have loaded anything.
    if (process.versions.node.startsWith('20.')) expect(at(120).rss).toBeLessThan(80 * KIB * KIB);
  }, 160_000);
});

describe('scar 75: waiting costs nothing', () => {
  it.runIf(process.platform === 'linux')('spends less than 50 ms of CPU in 3 s of a wait', async () => {
    const at = project({ runtime: { restart_delay_s: 3600 } });
    const serve = at.start(['serve']);
    await at.event('wait_started');
    const cpuMs = () => {
      const fields = readFileSync(`/proc/${serve.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
      return (Number(fields[11]) + Number(fields[12])) * 10;
    };
    // What was begun before the wait runs out first.
    let before = cpuMs();
    let since = systemClock.monotonic();
    await until(
      '3 s with less than 50 ms of CPU',
      () => {
        const now = systemClock.monotonic();
        if (now - since < 3_000) return false;
        const spent = cpuMs() - before;
        [before, since] = [cpuMs(), now];
        return spent < 50;
      },
      10_000,
    );
    expect(at.events('round_start')).toHaveLength(1);
  });
});
