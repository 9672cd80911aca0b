import type { LoadedConfig } from '../config/load.ts';
import { detectContainer } from '../container/detect.ts';
import type { EngineAccess } from '../container/engine.ts';
import { stopOrphans } from '../container/orphans.ts';
import { removeRoundFolders } from '../container/private-dir.ts';
import { endHooksOfTheDead } from '../hooks/recover.ts';
import type { NamedProcess } from '../run/types.ts';
import { asInFlight } from '../state/in-flight.ts';
import { readOwner } from '../state/owner.ts';
import { readState } from '../state/serve-state.ts';
import { agentCommand } from './agent-commands.ts';
import { profilesToCheck } from './checks/profiles.ts';
import { type Recovery, recoverInFlight } from './recover.ts';
import { survivingContainer } from './survivors.ts';
import type { RoundWorld } from './types.ts';

/** Whether containers that outlived their supervisor were looked for: once in a supervisor's life, and again until every engine answered. */
export interface OrphanSweep {
  done: boolean;
  /** Engines that did not answer are told once. */
  told: boolean;
}

export interface Leftovers extends Recovery {
  /** What a person should know, one line each. */
  notes: string[];
}

const ORPHAN_GRACE_S = 5;

/**
 * Ends what an earlier supervisor left behind, before anything new starts: its round in flight, and containers of this log_dir whose
 * round is long gone. The caller holds the round lock, so no other supervisor's round is in flight.
 */
export async function endLeftovers(
  world: Pick<RoundWorld, 'paths' | 'emit' | 'clock' | 'env' | 'orphans'>,
  loaded: LoadedConfig,
): Promise<Leftovers> {
  await endHooksOfTheDead(world.paths, world.emit, world.clock);
  const recovery = await recoverInFlight(world.paths, world.emit, world.clock);
  if (world.orphans.done) return { ...recovery, notes: [] };
  const { survivors, notes } = await endOrphans(world, loaded);
  return { ...recovery, survivors: [...recovery.survivors, ...survivors], notes };
}

async function endOrphans(
  { paths, emit, clock, env, orphans }: Parameters<typeof endLeftovers>[0],
  loaded: LoadedConfig,
): Promise<{ survivors: NamedProcess[]; notes: string[] }> {
  const engines = enginesOf(loaded, env);
  const survivors: NamedProcess[] = [];
  const notes: string[] = [];
  let answered = true;
  if (engines.length > 0) {
    const owner = readOwner(paths);
    // Its container could not be ended just now, and is told already.
    const keepRoundId = readState(paths.inFlight, asInFlight)?.round_id ?? null;
    for (const access of engines) {
      const found = await stopOrphans({ access, owner, keepRoundId, graceS: ORPHAN_GRACE_S, clock });
      if (found === 'unknown') {
        answered = false;
        if (!orphans.told) notes.push(`${access.runtime} does not answer: containers of an earlier run were not looked for`);
        continue;
      }
      for (const { containerId, roundId, ok, detail } of found) {
        emit('container_orphan_stopped', { container_id: containerId, round_id: roundId, ok, detail });
        const words = `container ${containerId.slice(0, 12)} of a round whose supervisor is gone`;
        notes.push(ok ? `${words} was ended (${detail})` : `${words} could not be ended: ${detail} [AR-CON-025]`);
        if (!ok) survivors.push(survivingContainer(access.runtime, containerId, detail));
      }
    }
    if (answered && survivors.length === 0) removeRoundFolders(owner, keepRoundId === null ? [] : [keepRoundId], env);
    orphans.told ||= !answered;
  }
  orphans.done = answered && survivors.length === 0;
  return { survivors, notes };
}

/** Each way to an engine that this configuration has, once. */
function enginesOf(loaded: LoadedConfig, env: NodeJS.ProcessEnv): EngineAccess[] {
  const accesses = profilesToCheck(loaded).flatMap((labelled): EngineAccess[] => {
    const { argv, env: clientEnv } = agentCommand(loaded, labelled, env);
    const run = detectContainer(argv);
    if (run?.kind !== 'run') return [];
    return [{ runtime: run.runtime, control: run.control, env: clientEnv, cwd: loaded.config.runtime.work_dir }];
  });
  const keyOf = ({ control, env: of }: EngineAccess) =>
    JSON.stringify([control, of.DOCKER_HOST, of.DOCKER_CONTEXT, of.CONTAINER_HOST, of.CONTAINERD_ADDRESS, of.XDG_RUNTIME_DIR]);
  return [...new Map(accesses.map((access) => [keyOf(access), access])).values()];
}
