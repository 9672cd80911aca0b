import { accountOf, agentIdentity, profileFor } from '../../config/profile.ts';
import type { LoopWorld } from '../world.ts';
import type { TakenTurn } from './next-turn.ts';

/** What is unusual about a turn: another phase than the one in turn, another agent than the phase's own. */
export function tellTurn({ config, emit, log }: LoopWorld, { phase, fallback, skipped, roundNum }: TakenTurn): void {
  const { config: inForce } = config.current();
  const bySchedule = skipped.filter(({ by }) => by.reason === 'schedule');
  const [first] = bySchedule;
  if (first !== undefined) {
    emit('schedule_phase_skipped', {
      round_num: roundNum,
      skipped: bySchedule.map((step) => step.phase),
      chosen: phase,
      active_window: first.by.source,
    });
  }
  for (const step of skipped)
    log.info({ phase: step.phase, reason: step.by.reason }, `phase ${step.phase} is stepped over: ${step.by.sentence}`);
  if (fallback === 0) return;
  const [own, standIn] = [0, fallback].map((nth) => profileFor(inForce, phase, nth).agent);
  if (own === undefined || standIn === undefined) return;
  log.info({ agent: agentIdentity(standIn) }, `${agentIdentity(standIn)} runs as fallback for ${accountOf(own)}`);
}
