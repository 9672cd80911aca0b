import { accountOf, agentIdentity, profileFor } from '../../config/profile.ts';
import type { LoopWorld } from '../world.ts';
import type { TakenTurn } from './next-turn.ts';

/** What is unusual about a turn, for the log: another phase than the one in turn, another agent than the phase's own. */
export function tellTurn({ config, log }: LoopWorld, { phase, fallback, skipped }: TakenTurn): void {
  const { config: inForce } = config.current();
  for (const step of skipped)
    log.info({ phase: step.phase, reason: step.by.reason }, `phase ${step.phase} is stepped over: ${step.by.sentence}`);
  if (fallback === 0) return;
  const standIn = profileFor(inForce, phase, fallback).agent;
  const own = profileFor(inForce, phase).agent;
  log.info({ agent: agentIdentity(standIn) }, `${agentIdentity(standIn)} runs as fallback for ${accountOf(own)}`);
}
