import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Emit } from '../events/emit.ts';
import { bootId, pidNamespace } from '../process/proc.ts';
import { reapMembers } from '../run/recover.ts';
import { HOOKS_IN_FLIGHT_NAME, type Layout } from '../state/layout.ts';
import { stillLives } from '../state/process-start.ts';
import { removeFile } from '../state/remove.ts';
import { readState } from '../state/serve-state.ts';
import type { Clock } from '../util/clock.ts';
import { HOOK_MARK } from './environment.ts';
import { asHooksInFlight } from './journal.ts';

/** Its supervisor is dead: nobody waits for what it would still say. */
const GRACE_MS = 1_000;

/**
 * Ends programs of the user's that a dead supervisor had running, found by their mark. Those of a living one are left alone, and so are
 * records of another boot or another pid namespace: who they tell of is gone, or not to be found from here.
 */
export async function endHooksOfTheDead(paths: Layout, emit: Emit, clock: Clock): Promise<void> {
  for (const file of recordsIn(paths)) {
    const record = readState(file, asHooksInFlight);
    if (record !== null) {
      const here = record.pid_ns === '' || record.pid_ns === pidNamespace();
      if (here && (record.supervisor.pid === process.pid || stillLives(record.supervisor) !== 'no')) continue;
      const sameBoot = record.supervisor.boot_id === undefined || record.supervisor.boot_id === bootId();
      for (const { token, kind, name } of here && sameBoot ? record.running : []) {
        const { members } = await reapMembers({ mark: { name: HOOK_MARK, value: token }, graceMs: GRACE_MS, clock });
        const left = members.length === 0 ? 'nothing of it was left' : `${members.length} processes of it were ended`;
        emit('hook_failed', {
          hook_name: name,
          hook_kind: kind,
          error_type: 'supervisor_died',
          error_message: `its supervisor died while it ran; ${left}`,
        });
      }
    }
    removeFile(file);
  }
}

function recordsIn(paths: Layout): string[] {
  try {
    return readdirSync(paths.state)
      .filter((name) => HOOKS_IN_FLIGHT_NAME.test(name))
      .map((name) => join(paths.state, name));
  } catch {
    return [];
  }
}
