import type { LoadedConfig } from '../config/load.ts';
import type { Emit } from '../events/emit.ts';
import { sweepLeaves } from '../process/cgroup-leaf.ts';
import type { PreparedLeaves } from '../process/isolation.ts';
import type { OrphanSweep } from '../round/leftovers.ts';
import type { RoundResult } from '../round/types.ts';
import type { Layout } from '../state/layout.ts';
import { readOwner } from '../state/owner.ts';
import { writePidFile } from '../state/pid-file.ts';
import type { Clock } from '../util/clock.ts';
import { version } from '../util/package.ts';
import { clearTheWay, tidyUp } from './inherit.ts';
import type { Logger } from './log.ts';

export interface TakeOverInput {
  paths: Layout;
  clock: Clock;
  env: NodeJS.ProcessEnv;
  emit: Emit;
  log: Logger;
  prepared: PreparedLeaves;
  current(): LoadedConfig;
}

export interface Inheritance {
  /** The serve before was stopped on purpose: its streaks and its short waits do not hold any more. */
  deliberateRestart: boolean;
  /** The serve before died during a round. */
  interrupted: boolean;
  orphans: OrphanSweep;
  endSurvivors(): Promise<RoundResult['survivors']>;
}

/** From here on this process is the supervisor: what the one before left is ended and told, and then its own start. */
export async function takeOver({ paths, clock, env, emit, log, prepared, current }: TakeOverInput): Promise<Inheritance> {
  const { leaves, facts } = prepared;
  const { deliberateRestart } = tidyUp(paths, current().config.runtime.round_log_retention, emit);
  writePidFile(paths.servePid);
  const orphans = { done: false, told: false };
  const clear = () => clearTheWay({ paths, emit, clock, env, orphans }, current());
  const { notes, roundNum } = await clear();
  for (const words of notes) log.warn(words);
  if (roundNum !== null) log.warn({ round_num: roundNum }, 'the supervisor before died during a round: what lived of it was ended');
  if (leaves === null) log.info(`rounds have no control groups of their own: ${facts.reason}`);
  else log.info({ ...leaves, swept: sweepLeaves(leaves) }, 'rounds can have control groups of their own');
  emit('serve_started', { version: version(), pid: process.pid, config_digest: current().digest, owner: readOwner(paths) });
  return { deliberateRestart, interrupted: roundNum !== null, orphans, endSurvivors: async () => (await clear()).survivors };
}
