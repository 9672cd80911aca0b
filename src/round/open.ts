import { randomUUID } from 'node:crypto';
import { renameSync, rmSync, symlinkSync } from 'node:fs';
import { relative } from 'node:path';
import { accountOf, agentIdentity, type Profile, phaseOf, profileFor } from '../config/profile.ts';
import { leafFolder } from '../process/cgroup-leaf.ts';
import { bootId, pidNamespace } from '../process/proc.ts';
import type { ProcessIdentity } from '../run/types.ts';
import { tryWriteJson } from '../state/atomic.ts';
import { clearInFlight, type InFlight, writeInFlight } from '../state/in-flight.ts';
import type { InFlightContainer } from '../state/in-flight-container.ts';
import type { Layout } from '../state/layout.ts';
import { readOwner } from '../state/owner.ts';
import { nextRoundNumber } from '../state/round-number.ts';
import { isoTime } from '../util/clock.ts';
import type { RoundLeaf } from './body.ts';
import { contextJson, type RoundContext, roundContext, writeRoundContext } from './context.ts';
import { choosePhase } from './phase.ts';
import { pruneRoundLogs } from './prune.ts';
import { readStatus, type Status, showStatus } from './status.ts';
import type { RoundRequest, RoundWorld } from './types.ts';

export interface OpenRound {
  roundNum: number;
  roundId: string;
  owner: string;
  phase: string | null;
  profile: Profile;
  startedAt: number;
  logPath: string;
  context: RoundContext;
  /** The same as the prompt has it; both change when a hook adds to them. */
  contextJson: string;
  freshEyes: boolean;
  /** Where the round's own control group is to be made; null: it goes without. */
  leaf: RoundLeaf | null;
  status: Status;
  /** Makes the agent's identity durable beside the intent. */
  spawned(identity: ProcessIdentity): void;
  /** Makes the way to the round's container durable, before there is one. */
  contained(container: InFlightContainer): void;
  /** The same for processes that outlived the round. */
  survived(identities: readonly ProcessIdentity[]): void;
}

/** Chooses number, phase and log of the next round and makes the intent to start it durable, before anything is started. */
export function openRound({ paths, emit, clock, leaves }: RoundWorld, { loaded, phase: wanted, fallback }: RoundRequest): OpenRound {
  const { config, digest } = loaded;
  const { status: previous, recovered } = readStatus(paths);
  if (recovered !== null) emit('status_recovered', { reason: recovered });
  const roundNum = nextRoundNumber(paths, previous?.round_num ?? 0);
  const phase = choosePhase(config.phases.list, wanted, phaseOf(config, roundNum));
  const profile = profileFor(config, phase, fallback);
  const agent = agentIdentity(profile.agent);
  const account = accountOf(profile.agent);
  pruneRoundLogs(paths.rounds, config.runtime.round_log_retention, emit);

  const startedAt = clock.now();
  const roundId = randomUUID();
  const context = roundContext(paths, roundNum, startedAt, phase, previous);
  const logPath = paths.roundLog(roundNum, startedAt);
  const leaf = leaves === null ? null : { folder: leafFolder(leaves, roundId), controllers: leaves.controllers };
  const intent: InFlight = {
    round_num: roundNum,
    round_id: roundId,
    token: roundId,
    owner: readOwner(paths),
    config_digest: digest,
    started_at: isoTime(startedAt),
    boot_id: bootId(),
    pid_ns: pidNamespace(),
    supervisor_pid: process.pid,
    log_path: logPath,
    agent,
    ...(profile.fallback === 0 ? {} : { stands_in_for: accountOf(profileFor(config, phase).agent) }),
    ...(leaf === null ? {} : { leaf: leaf.folder }),
    container: null,
  };
  const status: Status = { ...previous, round_num: roundNum, running: true, started_at: isoTime(startedAt) };
  delete status.current_phase;
  delete status.phase_index;
  if (phase !== null) Object.assign(status, { current_phase: phase, phase_index: config.phases.list.indexOf(phase) });

  writeInFlight(paths, intent);
  try {
    writeRoundContext(paths, context);
    showStatus(paths, status);
  } catch (error) {
    clearInFlight(paths);
    throw error;
  }
  pointCurrentLog(paths, logPath);
  emit('round_start', { round_num: roundNum, phase, config_digest: digest, round_id: roundId, agent, account, fallback: profile.fallback });

  const everyN = config.runtime.fresh_eyes_every_n;
  const freshEyes = everyN !== null && roundNum % everyN === 0;
  if (freshEyes) emit('fresh_eyes_round_triggered', { round_num: roundNum, every_n: everyN });
  return {
    roundNum,
    roundId,
    owner: intent.owner,
    phase,
    profile,
    startedAt,
    logPath,
    context,
    contextJson: contextJson(context),
    freshEyes,
    leaf,
    status,
    spawned({ pid, startTicks }) {
      Object.assign(intent, { pid, start_ticks: startTicks });
      writeInFlight(paths, intent);
    },
    contained(container) {
      intent.container = container;
      writeInFlight(paths, intent);
    },
    survived(identities) {
      tryWriteJson(paths.inFlight, { ...intent, survivors: identities.map(({ pid, startTicks }) => ({ pid, start_ticks: startTicks })) });
    },
  };
}

/** Replaced in one step, so that a reader finds the old log or the new one and never nothing. */
function pointCurrentLog(paths: Layout, logPath: string): void {
  const fresh = `${paths.currentLog}.${process.pid}.new`;
  try {
    rmSync(fresh, { force: true });
    symlinkSync(relative(paths.logDir, logPath), fresh);
    renameSync(fresh, paths.currentLog);
  } catch {
    // A convenience for `tail -F`: a file system without symlinks or a full disk must not cost a round.
  }
}
