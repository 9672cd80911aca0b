import type { LoadedConfig } from '../config/load.ts';
import { memorySignal } from '../host/memory/signal.ts';
import type { LeafFacts } from '../process/isolation.ts';
import { tryWriteJson } from '../state/atomic.ts';
import type { Layout } from '../state/layout.ts';
import { type Defense, defenses } from './defenses.ts';

/** The guards of a configuration on this host, on disk for `peek`. */
export function writeGuards(paths: Layout, loaded: LoadedConfig, leaf: LeafFacts): Defense[] {
  const host = { hasProc: process.platform === 'linux', hasFifo: true, leaf, memory: memorySignal() };
  const guards = defenses(loaded, host);
  tryWriteJson(paths.defenses, guards, { durable: false });
  return guards;
}
