import { type Guard, type Scene, verdict } from '../guard.ts';

/** Beyond the wall: the grace, the ladder, an engine's stop, a slow start. */
const SLACK_S = 30;

const inTime = (durationMs: number, wallS: number) => durationMs < (wallS + SLACK_S) * 1000;
const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;

async function hitsTheWall(scene: Scene, word: string, wallS: number, promptBytes?: number) {
  const { code, durationMs } = await scene.round({ word, wallS, ...(promptBytes === undefined ? {} : { promptBytes }) });
  const expectations: [boolean, string][] = [
    [
      scene.outcome() === 'timeout' && code === 0,
      `the round ended as ${scene.outcome() ?? 'nothing'} (exit ${code}) after ${seconds(durationMs)}`,
    ],
    [inTime(durationMs, wallS), `it took ${seconds(durationMs)} with a wall of ${wallS} s`],
  ];
  return { expectations, durationMs };
}

export const hang: Guard = {
  name: 'hang with an escapee',
  what: 'an agent that never ends is ended at its wall, with a helper that left its session, lost its parent and is deaf to TERM',
  async run(scene) {
    const { expectations, durationMs } = await hitsTheWall(scene, 'hang', 3);
    const [reaped] = scene.events('round_reaped');
    const escaped = Array.isArray(reaped?.escaped) ? reaped.escaped.length : 0;
    return verdict(
      [
        ...expectations,
        [scene.heartbeat() !== null, 'the helper never began, so nothing is shown'],
        [await scene.quiet(), 'THE HELPER IS STILL ALIVE'],
      ],
      `ended after ${seconds(durationMs)}; ${escaped > 0 ? `${escaped} had escaped and were found` : 'the helper is gone'}`,
    );
  },
};

export const deafToTerm: Guard = {
  name: 'deaf to TERM',
  what: 'an agent that ignores every polite signal is killed after its grace',
  async run(scene) {
    const { expectations, durationMs } = await hitsTheWall(scene, 'deaf', 2);
    return verdict(expectations, `killed after ${seconds(durationMs)}`);
  },
};

export const stdinUnread: Guard = {
  name: 'stdin unread',
  what: 'an agent that never reads a prompt larger than a pipe holds does not block the wall',
  async run(scene) {
    const { expectations, durationMs } = await hitsTheWall(scene, 'unread', 2, 300_000);
    return verdict(expectations, `300 kB unread, ended after ${seconds(durationMs)}`);
  },
};
