import { expect, it } from 'vitest';
import { type Played, play } from '../support/week/play.ts';
import { worldOf } from '../support/week/world.ts';

/** One week in every run; AGENT_RUNNER_TEST_WEEKS more of them, each another, for who has the time (`npm run test:weeks`). */
const WEEKS = Array.from({ length: 1 + Number(process.env.AGENT_RUNNER_TEST_WEEKS ?? 0) }, (_, i) => i);

/** What is shown of a week: the numbers that its test is about. */
function summary(played: Played): object {
  const late = played.waits.map(({ lateS }) => lateS);
  return {
    rounds: played.rounds,
    outcomes: Object.fromEntries([...new Set(played.told)].map((one) => [one, played.told.filter((told) => told === one).length])),
    turns: played.turns,
    waits: late.length,
    earliest_s: Math.min(...late),
    latest_s: Math.max(...late),
    sentences: played.sentences,
    wrong: played.wrong.length,
  };
}

/**
 * A week on a virtual clock, with real processes: five limits with a stated end, one of them over the change of the clocks, two outages,
 * an expired login, no memory for an hour, two pauses, a nightly window, a reboot in a wait, an agent that hangs. In odd weeks a second
 * account of the same CLI stands in and hands back, and a second phase has quick rounds that tell no usage.
 */
it.each(WEEKS)(
  'week %i: every wait ends within its minute, serve never gives up, and peek is right at a hundred moments',
  async (seed) => {
    const played = await play(worldOf(seed));
    console.info(`week ${seed}: ${JSON.stringify(summary(played))}`);
    const { wrong, outOfTurn, stops, told } = played;
    for (const one of wrong) console.info(one);
    const untimely = played.waits.filter(({ lateS }) => lateS < -3 || lateS > 60);
    expect({ wrong, untimely, outOfTurn, stops, told }).toEqual({ wrong: [], untimely: [], outOfTurn: [], stops: [], told: played.meant });
    expect(played.meant).toEqual(expect.arrayContaining(['ok', 'rate_limited', 'provider_error', 'auth_error', 'timeout']));
  },
  900_000,
);
