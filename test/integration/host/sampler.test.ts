import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { lastMetrics } from '../../../src/events/metrics.ts';
import { readFrom } from '../../../src/events/reader.ts';
import { sampleHost, sampleProcesses } from '../../../src/host/sample.ts';
import { SAMPLE_EVERY_MS, startSampler } from '../../../src/host/sampler.ts';
import { systemClock } from '../../../src/util/clock.ts';
import { testFolder } from '../../support/folder.ts';
import { until } from '../../support/wait.ts';

describe('a sample of the host', () => {
  it('has a plausible figure for everything; CPU from the second one on', async () => {
    const first = await sampleHost(testFolder(), null);
    expect(first.host.cpu_pct).toBeNull();
    const { host } = await sampleHost('/', { busy: first.cpu.busy - 10, total: first.cpu.total - 40 });
    expect(host.mem_total_mb).toBeGreaterThan(100);
    expect(host.mem_available_mb).toBeGreaterThan(0);
    expect(host.mem_available_mb).toBeLessThanOrEqual(host.mem_total_mb ?? 0);
    expect(host.disk_used_pct).toBeGreaterThanOrEqual(0);
    expect(host.disk_used_pct).toBeLessThanOrEqual(100);
    expect(host.disk_free_gb).toBeGreaterThanOrEqual(0);
    expect(host.load_1m).toBeGreaterThanOrEqual(0);
    expect(host.cpu_pct).toBeGreaterThanOrEqual(0);
    expect(host.cpu_pct).toBeLessThanOrEqual(100);
  });

  it('is null where a figure cannot be had, and throws nothing', async () => {
    const { host } = await sampleHost('/nonexistent/folder', null);
    expect(host).toMatchObject({ disk_used_pct: null, disk_free_gb: null, mem_available_mb: expect.any(Number) });
  });
});

describe('a sample of processes', () => {
  it('adds up who lives and steps over who is gone', async () => {
    const child = spawn('sleep', ['30'], { stdio: 'ignore' });
    onTestFinished(() => void child.kill('SIGKILL'));
    const alone = await sampleProcesses([process.pid]);
    const both = await sampleProcesses([process.pid, child.pid ?? 0, 99_999_999]);
    expect(alone.rss_mb).toBeGreaterThan(10);
    expect(both.rss_mb).toBeGreaterThan((alone.rss_mb ?? 0) * 0.8);
    expect(both.processes).toBe(3);
    expect(await sampleProcesses([])).toEqual({ rss_mb: 0, cpu_pct: 0, processes: 0 });
  });
});

describe('the sampler of a round', () => {
  it('records start, middle and end, and the newest is found from the end of the file', async () => {
    const logDir = testFolder();
    expect(lastMetrics(logDir)).toBeNull();
    const sampler = startSampler({ logDir, clock: systemClock, roundNum: 7, pids: () => [process.pid], everyMs: 30 });
    await until('three samples', () => readFrom(logDir, null, { family: 'metrics' }).events.length >= 3);
    await sampler.stop();
    await sampler.stop();
    const { events } = readFrom(logDir, null, { family: 'metrics' });
    expect(events.map(({ event }) => event)).toEqual(['round_start', ...Array(events.length - 2).fill('sample'), 'round_end']);
    expect(events[1]).toMatchObject({ round_num: 7, agent_process_count: 1, agent: { processes: 1, rss_mb: expect.any(Number) } });
    expect(lastMetrics(logDir)).toEqual(events.at(-1));
  });

  it('goes on without a tree that cannot be listed and without a folder that is gone', async () => {
    const logDir = join(testFolder(), 'gone');
    const failing = startSampler({
      logDir,
      clock: systemClock,
      roundNum: 1,
      pids: () => {
        throw new Error('no /proc');
      },
    });
    await failing.stop();
    await startSampler({ logDir, clock: systemClock, roundNum: 1, pids: () => [process.pid] }).stop();
  });

  it('costs under 0.05 % of a core at its real interval', async () => {
    const logDir = testFolder();
    const sampler = startSampler({ logDir, clock: systemClock, roundNum: 1, pids: () => [process.pid, process.ppid], everyMs: 20 });
    const samples = () =>
      readFileSync(join(logDir, `metrics-${new Date(systemClock.now()).toISOString().slice(0, 7)}.jsonl`), 'utf8').split('\n').length;
    // The first ones load the libraries.
    await until('warm', () => lastMetrics(logDir) !== null && samples() > 5);
    const from = samples();
    const before = process.cpuUsage();
    await until('some more', () => samples() >= from + 20);
    const { user, system } = process.cpuUsage(before);
    const taken = samples() - from;
    await sampler.stop();
    const share = (user + system) / 1000 / taken / SAMPLE_EVERY_MS;
    expect(share).toBeLessThan(0.0005);
  });
});
