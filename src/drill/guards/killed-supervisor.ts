import { asInFlight } from '../../state/in-flight.ts';
import { layout } from '../../state/layout.ts';
import { readState } from '../../state/serve-state.ts';
import { type Guard, type Scene, verdict } from '../guard.ts';

const PATIENCE_MS = 30_000;
const POLL_MS = 100;

export const killedSupervisor: Guard = {
  name: 'killed supervisor',
  what: 'when the supervisor is killed in the middle of a round, the next start ends what lives of it before it goes on',
  async run(scene) {
    const running = scene.round({ word: 'hang', wallS: 600 });
    const supervisor = await supervisorAtWork(scene);
    if (supervisor !== null) process.kill(supervisor, 'SIGKILL');
    const killed = supervisor === null ? null : await running;
    if (killed === null) return { works: false, detail: 'the agent never got to work, so nothing is shown' };
    const lived = !(await scene.quiet());

    const { code } = await scene.round({ word: 'finish', wallS: 60 });
    const [recovered] = scene.events('round_recovered');
    return verdict(
      [
        [recovered !== undefined, 'the dead round was not found on record'],
        [await scene.quiet(), 'ITS HELPER IS STILL ALIVE'],
        [code === 0 && scene.outcome() === 'ok', `the round after it ended as ${scene.outcome()} (exit ${code})`],
      ],
      lived ? 'the orphans were ended, then the next round ran' : 'nobody had outlived it; the next round ran',
    );
  },
};

/** The pid of the supervisor once its agent's helper beats; null when that takes too long. */
async function supervisorAtWork(scene: Scene): Promise<number | null> {
  const end = scene.clock.monotonic() + PATIENCE_MS;
  while (scene.clock.monotonic() < end) {
    const pid = readState(layout(scene.logDir).inFlight, asInFlight)?.supervisor_pid;
    if (pid !== undefined && scene.heartbeat() !== null) return pid;
    await scene.clock.sleep(POLL_MS);
  }
  return null;
}
