import { join } from 'node:path';
import { type ReadFile, readText } from './sample.ts';

/** What a control group used and suffered while a round ran that had no group of its own. */
export interface GroupAccount {
  folder: string;
  /** Most bytes at any look. */
  peak: number;
  swapPeak: number;
  high: number;
  max: number;
  oom: number;
  oomKills: number;
}

export interface GroupMeter {
  look(): void;
  /** Null when the group could not be read at the start, or is not there any more: its counters are absolute, and only a difference is the round's. */
  account(): GroupAccount | null;
}

const COUNTERS = ['high', 'max', 'oom', 'oom_kill'] as const;

/** Begins an account of the group at `folder`. */
export function openAccount(folder: string, read: ReadFile = readText): GroupMeter {
  const counters = () => {
    const text = read(join(folder, 'memory.events'));
    if (!/^oom_kill \d+$/m.test(text)) return null;
    return COUNTERS.map((name) => Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1] ?? 0));
  };
  const bytes = (name: string) => Number.parseInt(read(join(folder, name)), 10) || 0;
  const before = counters();
  let peak = 0;
  let swapPeak = 0;
  const look = () => {
    peak = Math.max(peak, bytes('memory.current'));
    swapPeak = Math.max(swapPeak, bytes('memory.swap.current'));
  };
  look();
  return {
    look,
    account() {
      const after = counters();
      if (before === null || after === null) return null;
      look();
      const [high = 0, max = 0, oom = 0, oomKills = 0] = after.map((value, i) => Math.max(0, value - (before[i] ?? 0)));
      return { folder, peak, swapPeak, high, max, oom, oomKills };
    },
  };
}
