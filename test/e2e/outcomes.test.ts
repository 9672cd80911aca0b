import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/util/clock.ts';
import { HELD, held, limited, refused, says, WELL } from '../support/fake-agents.ts';
import { type Project, project } from '../support/project.ts';

/** Every streak stands at two before the round, so that reset, kept and counted can be told apart. */
const BEFORE = { crash: 2, stall: 2, no_progress: 2, quiet: 2, auth: 1, memory: 2, environment: 2, unmoved: 2 };
const RESTART_DELAY_S = 10;
const RESULT = `echo '{"type":"result","is_error":false}'`;
const DIRT = 'date +%s%N > leftover.txt';
const IN_AN_HOUR = Math.floor(systemClock.now() / 1000) + 3600;

interface Row {
  outcome: string;
  agent: string;
  agentTable?: Record<string, unknown>;
  runtime?: Record<string, unknown>;
  /** Exit code of `agent-runner round`. */
  exit: number;
  /** Streaks after one round; those that are not named keep their two (auth: one). */
  streaks: Partial<typeof BEFORE>;
  tree: 'resolved' | 'left' | 'clean';
  /** Reason of the wait, and its length in whole seconds, from and to. */
  delay: [reason: string, least: number, most?: number];
  person?: string;
}

const WELL_STREAKS = { crash: 0, stall: 0, no_progress: 0, quiet: 0, auth: 0, memory: 0, environment: 0, unmoved: 0 };
const RAN = { memory: 0, environment: 0 };
/** A round that failed by itself, or took its time, ends a row of rounds that exit 0 and do nothing. */
const FAILED = { ...RAN, no_progress: 0, quiet: 0 };
const claude = { adapter: 'claude' };

const ROWS: Record<string, Row> = {
  'a finished turn': {
    outcome: 'ok',
    agent: `cat >/dev/null; ${DIRT}; ${RESULT}`,
    exit: 0,
    streaks: WELL_STREAKS,
    tree: 'resolved',
    delay: ['restart_delay', 10],
  },
  'a finished turn, somebody still working': {
    outcome: 'ok_leftovers',
    agent: `cat >/dev/null; ${DIRT}; setsid sleep 300 & ${RESULT}`,
    exit: 0,
    streaks: WELL_STREAKS,
    tree: 'resolved',
    delay: ['restart_delay', 10],
  },
  'a result, and then nothing': {
    outcome: 'grace_kill',
    agent: `cat >/dev/null; ${DIRT}; ${RESULT}; exec sleep 300`,
    runtime: { max_grace_after_result_s: 1, round_timeout_s: 60 },
    exit: 0,
    streaks: WELL_STREAKS,
    tree: 'resolved',
    delay: ['restart_delay', 10],
  },
  'exit 0 without a byte or a change': {
    outcome: 'no_output',
    agent: 'cat >/dev/null',
    exit: 1,
    streaks: { ...RAN, crash: 3, no_progress: 3, unmoved: 3 },
    tree: 'clean',
    delay: ['crash_backoff', 80],
  },
  'an exit code below a minute': {
    outcome: 'crash',
    agent: `cat >/dev/null; ${DIRT}; exit 3`,
    exit: 1,
    streaks: { ...FAILED, crash: 3, unmoved: 0 },
    tree: 'left',
    delay: ['crash_backoff', 80],
  },
  'killed by somebody else (137)': {
    outcome: 'crash',
    agent: 'cat >/dev/null; echo x; kill -9 $$',
    exit: 1,
    streaks: { ...FAILED, crash: 3, unmoved: 3 },
    tree: 'clean',
    delay: ['crash_backoff', 80],
  },
  'exit 0, and claude never ended its turn': {
    outcome: 'crash',
    agent: says([{ type: 'system', subtype: 'init' }], 0),
    agentTable: claude,
    exit: 1,
    streaks: { ...FAILED, crash: 3, unmoved: 3 },
    tree: 'clean',
    delay: ['crash_backoff', 80],
  },
  'exit 1 after a successful result': {
    outcome: 'ok',
    agent: `cat >/dev/null; ${DIRT}; ${RESULT}; exit 1`,
    exit: 0,
    streaks: WELL_STREAKS,
    tree: 'resolved',
    delay: ['restart_delay', 10],
  },
  'the hard wall, nothing moved': {
    outcome: 'timeout',
    agent: HELD,
    runtime: { round_timeout_s: 1 },
    exit: 0,
    streaks: { ...FAILED, crash: 0, stall: 3, unmoved: 3 },
    tree: 'clean',
    delay: ['restart_delay', 10],
  },
  'the hard wall after work': {
    outcome: 'timeout',
    agent: `cat >/dev/null; ${DIRT}; sleep 300`,
    runtime: { round_timeout_s: 1 },
    exit: 0,
    streaks: { ...FAILED, crash: 0, stall: 0, unmoved: 0 },
    tree: 'left',
    delay: ['restart_delay', 10],
  },
  'the idle wall': {
    outcome: 'idle',
    agent: 'cat >/dev/null; echo started; exec sleep 300',
    runtime: { idle_timeout_s: 2, round_timeout_s: 60 },
    exit: 0,
    streaks: { ...FAILED, crash: 0, stall: 3, unmoved: 3 },
    tree: 'clean',
    delay: ['restart_delay', 10],
  },
  'an account limit with its end': {
    outcome: 'rate_limited',
    agent: `${DIRT}; ${says(limited(IN_AN_HOUR), 1)}`,
    agentTable: claude,
    exit: 1,
    streaks: { ...RAN, crash: 0, unmoved: 0 },
    tree: 'left',
    delay: ['throttled', 3500, 3630],
  },
  'a limit without an end, the third in a row': {
    outcome: 'rate_limited',
    agent: says([refused(429)], 1),
    agentTable: claude,
    exit: 1,
    streaks: { ...RAN, crash: 0, unmoved: 3 },
    tree: 'clean',
    delay: ['throttled', 60 * 4 + 5, 60 * 4 + 30],
  },
  'an overload': {
    outcome: 'provider_error',
    agent: `${DIRT}; ${says([refused(529)], 1)}`,
    agentTable: claude,
    exit: 1,
    streaks: { ...RAN, crash: 0, unmoved: 0 },
    tree: 'left',
    delay: ['throttled', 60 * 4 + 5, 60 * 4 + 30],
  },
  'an overload that claude reports with exit 0': {
    outcome: 'provider_error',
    agent: says([refused(503)], 0),
    agentTable: claude,
    exit: 1,
    streaks: { ...RAN, crash: 0, unmoved: 3 },
    tree: 'clean',
    delay: ['throttled', 60 * 4 + 5, 60 * 4 + 30],
  },
  'no money left': {
    outcome: 'provider_error',
    agent: says([refused(400, 'Your credit balance is too low')], 1),
    agentTable: claude,
    exit: 1,
    streaks: { ...RAN, crash: 0, unmoved: 3 },
    tree: 'clean',
    delay: ['throttled', 1800, 1830],
    person: 'billing',
  },
  'a refused login': {
    outcome: 'auth_error',
    agent: `${DIRT}; ${says([refused(401)], 1)}`,
    agentTable: claude,
    exit: 1,
    streaks: { ...RAN, crash: 0, auth: 2, unmoved: 0 },
    tree: 'left',
    delay: ['error_backoff', 20],
    person: 'auth',
  },
  'an agent that cannot be started': {
    outcome: 'environment',
    agent: '',
    exit: 76,
    streaks: { environment: 3 },
    tree: 'clean',
    delay: ['environment', 20],
  },
};

describe.each(Object.entries(ROWS))('%s', (name, { outcome, agent, agentTable, runtime = {}, exit, streaks, tree, delay, person }) => {
  const scene = () => {
    const at = project({ agent, ...(agentTable ? { agentTable } : {}), runtime: { restart_delay_s: RESTART_DELAY_S, ...runtime } });
    if (name === 'an agent that cannot be started') writeFileSync(join(at.folder, 'agent.sh'), '#!/no/such/interpreter\n', { mode: 0o755 });
    return at;
  };

  it(`is ${outcome}: \`round\` exits ${exit}, and the loop goes on as the table says`, async () => {
    const [at, single] = [scene(), scene()];
    withStreaks(at);
    const [serve, round] = await Promise.all([at.run(['serve', '--once']), single.run(['round'])]);
    expect(round.code).toBe(exit);
    expect(single.outcomes()).toEqual([outcome]);
    expect(serve.code).toBe(0);
    expect(at.outcomes()).toEqual([outcome]);
    expect(at.json('state/streaks.json')).toEqual({ ...BEFORE, ...streaks });
    expect(at.json('status.json')).toMatchObject({ running: false, last_outcome: outcome });

    const [reason, least, most = least] = delay;
    // An account waits by itself: what follows the round is the ordinary pause, in which another agent could start.
    expect(at.events('wait_started')[0]?.reason).toBe(reason === 'throttled' ? 'restart_delay' : reason);
    const waited = reason === 'throttled' ? throttledFor(at) : waitedFor(at);
    expect(waited).toBeGreaterThanOrEqual(least);
    expect(waited).toBeLessThanOrEqual(most);

    expect(at.git('status', '--porcelain')).toBe(tree === 'left' ? '?? leftover.txt' : '');
    expect(at.git('stash', 'list').split('\n').filter(Boolean)).toHaveLength(tree === 'resolved' ? 1 : 0);
    const asked = (at.json('state/needs-human.json')?.entries ?? []) as { reason: string }[];
    expect(asked.map((need) => need.reason)).toEqual(person === undefined ? [] : [person]);
    expect([...at.agents(), ...single.agents()]).toEqual([]);
  });
});

function withStreaks(at: Project): void {
  mkdirSync(join(at.logDir, 'state'), { recursive: true });
  writeFileSync(join(at.logDir, 'state/streaks.json'), JSON.stringify(BEFORE));
  const account = { account: 'agent.sh', agent: 'agent.sh', since: new Date(systemClock.now() - 60_000).toISOString() };
  const accounts = { throttles: [{ ...account, consecutive: 2 }], refusals: [{ ...account, consecutive: 1 }] };
  writeFileSync(join(at.logDir, 'state/accounts.json'), JSON.stringify(accounts));
}

/** How long the account is left alone, whole seconds. */
function throttledFor(at: Project): number {
  const throttles = at.json('state/accounts.json')?.throttles as { since: string; until: string }[] | undefined;
  return Math.round((Date.parse(throttles?.[0]?.until ?? '') - Date.parse(throttles?.[0]?.since ?? '')) / 1000);
}

/** Length of the first wait that was told, whole seconds. */
function waitedFor(at: Project): number {
  const [wait] = at.events('wait_started');
  return Math.round((Date.parse(wait?.until) - Date.parse(wait?.ts ?? '')) / 1000);
}

/** Makes this program's clock for durations run a hundred times as fast: a second of a round is more than a minute. */
function fastClock(folder: string): string[] {
  const path = join(folder, 'fast.mjs');
  writeFileSync(path, 'const { now } = performance; performance.now = () => now.call(performance) * 100;');
  return ['--import', path];
}

it('an exit code after a minute is agent_error: no crash, twice the delay, the tree left', async () => {
  const at = project({
    agent: `cat >/dev/null; ${DIRT}; sleep 0.8; echo x; exit 3`,
    runtime: { restart_delay_s: 10, round_timeout_s: 3600 },
  });
  withStreaks(at);
  const serve = at.start(['serve', '--once'], { nodeArgs: fastClock(at.folder) });
  expect((await serve.ended).code).toBe(0);
  expect(at.outcomes()).toEqual(['agent_error']);
  expect(at.json('state/streaks.json')).toEqual({ ...BEFORE, ...FAILED, crash: 0, unmoved: 0 });
  expect(at.events('wait_started')[0]?.reason).toBe('error_backoff');
  expect(waitedFor(at)).toBe(20);
  expect(at.git('status', '--porcelain')).toBe('?? leftover.txt');
});

it('stopped: 130, nothing is counted, the tree left', async () => {
  const at = project({ agent: `${DIRT}; ${HELD}` });
  withStreaks(at);
  const serve = await held(at, ['serve']);
  expect((await at.run(['kill'])).code).toBe(0);
  expect((await serve.ended).code).toBe(0);
  expect(at.outcomes()).toEqual(['stopped']);
  expect(at.json('state/streaks.json')).toEqual({ ...BEFORE, unmoved: 0 });
  expect(at.git('status', '--porcelain')).toBe('?? leftover.txt');
});

it('config_broken: 78 for both, nothing is counted', async () => {
  const at = project({ agent: WELL, prompt: '' });
  expect((await at.run(['round'])).code).toBe(78);
  expect((await at.run(['serve'])).code).toBe(78);
  expect(at.events('round_start')).toEqual([]);
});
