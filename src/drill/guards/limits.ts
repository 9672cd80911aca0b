import { utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Guard, verdict } from '../guard.ts';

const MB = 1024 ** 2;

export const flood: Guard = {
  name: 'output flood',
  what: 'twenty-four megabytes of output stay within `round_log_max_mb`, and the round goes on',
  async run(scene) {
    const { code } = await scene.round({ word: 'flood', wallS: 120, logMaxMb: 1 });
    const [truncated] = scene.events('round_log_truncated');
    const bytes = scene.logBytes();
    return verdict(
      [
        [code === 0 && scene.outcome() === 'ok', `the round ended as ${scene.outcome()} (exit ${code})`],
        [bytes > 0 && bytes <= 1.1 * MB, `the log has ${bytes} bytes with a bound of 1 MB`],
        [truncated !== undefined, 'that something was dropped was not told'],
      ],
      `${Math.round(Number(truncated?.dropped_bytes) / MB)} MB dropped, the result understood`,
    );
  },
};

export const tooBig: Guard = {
  name: 'argument too long',
  what: 'a prompt that the system takes in no argument is refused before anything is started, with 78',
  async run(scene) {
    const { code } = await scene.round({ word: 'finish', wallS: 60, delivery: 'argv', promptBytes: 200_000 });
    const started = scene.events('agent_spawn').length > 0;
    const [told] = scene.events('smoke_check_failed');
    return verdict(
      [
        [code === 78 && !started, `exit ${code}${started ? ', and the agent was started' : ''}`],
        [told !== undefined, 'nobody was told'],
      ],
      'refused with exit 78',
    );
  },
};

export const budget: Guard = {
  name: 'used-up limit',
  what: 'a limit that is used up (here of rounds without a commit) stops the loop with 75, and a person is asked',
  async run(scene) {
    const { code } = await scene.serve({ word: 'finish', wallS: 60, limits: { max_unproductive_rounds: 2 } }, 4);
    const rounds = scene.events('round_start').length;
    const [told] = scene.events('budget_exhausted');
    return verdict(
      [
        [code === 75 && rounds === 2, `the loop went on: ${rounds} round(s), exit ${code}`],
        [told !== undefined && scene.events('needs_human').length === 1, 'nobody was told'],
      ],
      `stopped after the second round: ${told?.message}`,
    );
  },
};

export const indexLock: Guard = {
  name: 'stale index.lock',
  what: 'a lock that a killed git left behind is removed, and the tree is dealt with',
  async run(scene) {
    const lock = join(scene.workDir, '.git', 'index.lock');
    writeFileSync(lock, '');
    const anHourAgo = scene.clock.now() / 1000 - 3600;
    utimesSync(lock, anHourAgo, anHourAgo);
    const { code } = await scene.round({ word: 'dirty', wallS: 60, dirtyAction: 'stash' });
    return verdict(
      [
        [code === 0, `the round ended as ${scene.outcome()} (exit ${code})`],
        [scene.events('stale_index_lock_cleared').length > 0, 'it was not removed'],
        [scene.events('orphan_stashed').length > 0, 'nothing was stashed'],
      ],
      'removed, and the change stashed',
    );
  },
};
