// CPU of what watches the host beside a silent round (memory and disks), in percent of one core. Target, with the silent round's own: under 0.1 %.
// Usage: npx tsx bench/host-watch.mjs [seconds = 60]
import { tmpdir } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { openDiskBook } from '../src/host/disk/book.ts';
import { watchDisks } from '../src/host/disk/watch.ts';
import { watchMemory } from '../src/host/memory/watch.ts';
import { systemClock } from '../src/util/clock.ts';

const seconds = Number(process.argv[2] ?? 60);
/** V8 collects garbage once, some eight seconds after a process became idle; that belongs to the start. */
const SETTLE_MS = 12_000;
const limits = {
  mem_avail_min_mb: 200,
  swap_sout_noise_floor_mb: 32,
  mem_free_low_mb: 16,
  psi_full_avg10_critical: 60,
  psi_some_avg10_warning: 5,
  disk_warning_pct: 90,
  disk_critical_pct: 95,
};

async function measure(name, start) {
  const stop = start();
  await delay(SETTLE_MS);
  const cpu = process.cpuUsage();
  await delay(seconds * 1_000);
  const { user, system } = process.cpuUsage(cpu);
  await stop();
  console.log(JSON.stringify({ name, seconds, cpu_ms: (user + system) / 1000, core_percent: (user + system) / 1e4 / seconds }));
}

const memory = (sources) => () => {
  const watch = watchMemory({
    limits,
    rules: { consecutive: 3, terminate: true, defer: false },
    bound: null,
    clock: systemClock,
    emit: () => {},
    roundNum: 1,
    pid: process.pid,
    pids: async () => [],
    brake: null,
    meter: null,
    ...sources,
  });
  return () => watch.close();
};

await measure('memory', memory({}));
await measure('disks', () => {
  const folders = [process.cwd(), tmpdir(), '/dev/shm'].map((folder) => ({ of: folder, folder }));
  const watch = watchDisks({ folders, limits, book: openDiskBook(() => {}, systemClock), clock: systemClock, roundNum: 1 });
  return () => watch.close();
});
