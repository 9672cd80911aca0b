import { type Guard, verdict } from '../guard.ts';

export const cleanRound: Guard = {
  name: 'clean round',
  what: 'the agent can be started here, gets its prompt by standard input, and its end is understood; nobody is left',
  async run(scene) {
    const { code, durationMs } = await scene.round({ word: 'finish', wallS: 60 });
    const [reaped] = scene.events('round_reaped');
    return verdict(
      [
        [code === 0 && scene.outcome() === 'ok', `the round ended as ${scene.outcome() ?? 'nothing'} (exit ${code}): ${scene.logTail()}`],
        [Array.isArray(reaped?.survivors) && reaped.survivors.length === 0, 'there is no clean receipt'],
      ],
      `${(durationMs / 1000).toFixed(1)} s from start to end`,
    );
  },
};

export const dirtyTree: Guard = {
  name: 'dirty tree',
  what: 'what a finished round leaves uncommitted is dealt with as `vcs.dirty_action` says',
  async run(scene) {
    const { code } = await scene.round({ word: 'dirty', wallS: 60 });
    const stashed = scene.events('orphan_stashed')[0];
    const committed = scene.events('dirty_auto_committed')[0];
    const seen = scene.events('dirty_detected').length > 0;
    const failed = scene.events().find(({ event }) => event === 'orphan_stash_failed' || event === 'dirty_commit_failed');
    const left = await scene.git('status', '--porcelain');
    const ref = String(stashed?.ref ?? committed?.ref ?? '').slice(0, 10);
    return verdict(
      [
        [code === 0, `the round ended as ${scene.outcome()} (exit ${code})`],
        [seen, 'the change was not seen'],
        [failed === undefined, `git refused: ${failed?.reason}`],
        [(stashed ?? committed) === undefined || left === '', `still in the tree: ${left.split('\n')[0]}`],
      ],
      stashed !== undefined
        ? `kept as stash ${ref}`
        : committed !== undefined
          ? `committed as ${ref}`
          : 'seen and left, as dirty_action = "ignore" says',
    );
  },
};

export const crash: Guard = {
  name: 'crash',
  what: 'an agent that dies is a crash, and its half-done work is left where it is',
  async run(scene) {
    const { code } = await scene.round({ word: 'crash', wallS: 60 });
    const exit = scene.events('agent_exit')[0]?.exit_code;
    const left = await scene.git('status', '--porcelain');
    return verdict(
      [
        [code === 1 && scene.outcome() === 'crash', `the round ended as ${scene.outcome()} (exit ${code})`],
        [left.includes('half-'), 'its half-done file is gone'],
      ],
      `exit ${exit} seen as a crash, the tree left alone`,
    );
  },
};

export const agentDone: Guard = {
  name: 'agent says done',
  what: 'an agent that writes `.agent-done` ends the loop',
  async run(scene) {
    const { code } = await scene.serve({ word: 'done', wallS: 60 }, 3);
    const rounds = scene.events('round_start').length;
    const told = scene.events('agent_self_terminated').length === 1;
    return verdict(
      [[code === 0 && told && rounds === 1, `the loop went on: ${rounds} round(s), exit ${code}`]],
      'the loop ended after that round',
    );
  },
};
