import { type ServiceStatus, statusOf } from './mode.ts';
import { isUp, showUnit, type UnitState } from './systemctl.ts';
import { findService, type ServiceTarget } from './target.ts';

/** The predecessor's fields, then ours. */
export interface StatusReport extends ServiceStatus {
  unit: string | null;
  /** `active (running)`, `failed (exit-code 78)`, `deactivating (stop-sigterm)`; null outside of systemd, or when its manager does not answer. */
  unit_state: string | null;
}

/** A service that is being started, stopped or restarted counts as active, though no serve may live at this moment. */
export async function serviceStatus(target: ServiceTarget, now: number): Promise<StatusReport> {
  const { facts, unit } = await findService(target);
  const status = statusOf(facts, now);
  if (unit === null) return { ...status, unit: null, unit_state: null };
  try {
    const state = await showUnit(unit.kind, unit.name);
    return { ...status, active: status.active || isUp(state), unit: unit.name, unit_state: wordsOf(state) };
  } catch {
    return { ...status, unit: unit.name, unit_state: null };
  }
}

function wordsOf({ active, sub, result, exitCode }: UnitState): string {
  const detail = active === 'failed' ? `${result}${exitCode > 0 ? ` ${exitCode}` : ''}` : sub;
  return `${active} (${detail})`;
}
