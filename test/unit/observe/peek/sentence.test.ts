// biome-ignore-all lint/suspicious/noTemplateCurlyInString: ${EDITOR:-vi} is for the shell.
import { expect, test } from 'vitest';
import type { Facts } from '../../../../src/observe/peek/facts.ts';
import { sentence } from '../../../../src/observe/peek/sentence.ts';
import { PEEK_STATES, type PeekState, situationOf } from '../../../../src/observe/peek/situation.ts';
import { NO_STREAKS } from '../../../../src/state/serve-state.ts';
import { asked, factsWith, iso, NOW, running, serving, stoppedWith, waiting } from './facts.ts';

process.env.TZ = 'UTC';

function retried(atS: number, lastWriteS: number): NonNullable<Facts['inFlight']> {
  const retrying = { what: '429 rate_limit, attempt 3 of 10', at: NOW + atS * 1000, lastWriteAt: NOW + lastWriteS * 1000 };
  return { roundNum: 12, phase: null, startedAt: NOW - 12 * 60_000, timeoutS: 1800, pid: 5000, retrying };
}

/** name, facts, state, the whole sentence. */
const TABLE: [string, Facts, PeekState, string][] = [
  [
    'no configuration',
    factsWith({ logDir: null, configProblem: { kind: 'missing', message: 'there is no such file' } }),
    'not_set_up',
    'Not set up: there is no /w/shop/agent-runner.toml; a person is needed: there is nothing to run yet: `agent-runner init`.',
  ],
  [
    'configuration broken beyond reading log_dir',
    factsWith({ logDir: null, configProblem: { kind: 'broken', message: 'Invalid TOML document: incomplete key' } }),
    'config_broken',
    'Nothing can be told: /w/shop/agent-runner.toml does not say where the state is kept (Invalid TOML document: incomplete key); a person is needed: mend the file: `${EDITOR:-vi} /w/shop/agent-runner.toml`.',
  ],
  [
    'configuration unreadable',
    factsWith({ logDir: null, configProblem: { kind: 'unreadable', message: 'it cannot be read (EACCES)' } }),
    'config_broken',
    'Nothing can be told: /w/shop/agent-runner.toml does not say where the state is kept (it cannot be read (EACCES)); a person is needed: mend the file: `${EDITOR:-vi} /w/shop/agent-runner.toml`.',
  ],
  [
    'log_dir unreadable',
    factsWith({ logDir: "/w/it's here", logDirState: 'unreadable' }),
    'unreadable',
    "Nothing can be told: /w/it's here cannot be read; a person is needed: look at its owner and mode: `ls -ld '/w/it'\\''s here'`.",
  ],
  [
    'never started, no log_dir',
    factsWith({ logDirState: 'missing' }),
    'never_started',
    'Never started: nothing has run in shop yet; begin with `agent-runner serve`.',
  ],
  [
    'never started, empty log_dir',
    factsWith(),
    'never_started',
    'Never started: nothing has run in shop yet; begin with `agent-runner serve`.',
  ],
  [
    'never started, asked with --config',
    factsWith({ configGiven: true, configPath: '/w/a b.toml' }),
    'never_started',
    "Never started: nothing has run in shop yet; begin with `agent-runner serve --config '/w/a b.toml'`.",
  ],
  [
    'about to stop for good',
    serving({ needs: asked('budget') }),
    'starting',
    'serve is up (pid 4711) and about to stop: no further round starts; a person is needed: please see to budget: `agent-runner ack budget`.',
  ],
  [
    'about to stop because a login fails',
    serving({ streaks: { ...NO_STREAKS, auth: 3 }, needs: asked('auth') }),
    'starting',
    'serve is up (pid 4711) and about to stop: no further round starts; a person is needed: please see to auth: `agent-runner ack auth`.',
  ],
  [
    'at the wall',
    running({ inFlight: { roundNum: 12, phase: null, startedAt: NOW - 1_801_000, timeoutS: 1800, pid: 5000 } }),
    'round_running',
    'Round 12 has been running for 30 min of at most 30 min and is being ended; nobody is needed.',
  ],
  ['between two steps', serving(), 'starting', 'serve is up (pid 4711) and about to start round 12; nobody is needed.'],
  ['first start', serving({ status: null }), 'starting', 'serve is up (pid 4711) and about to start round 1; nobody is needed.'],
  ['round running', running(), 'round_running', 'Round 12 has been running for 12 min of at most 30 min; nobody is needed.'],
  [
    'round running in a phase',
    running({ inFlight: { roundNum: 12, phase: 'build', startedAt: NOW - 61_000, timeoutS: 5400, pid: 5000 } }),
    'round_running',
    'Round 12 (build) has been running for 1 min of at most 1 h 30 min; nobody is needed.',
  ],
  [
    'a fallback running',
    running({
      inFlight: {
        roundNum: 12,
        phase: null,
        startedAt: NOW - 61_000,
        timeoutS: 5400,
        pid: 5000,
        standIn: { agent: 'codex', account: 'work' },
      },
      accounts: {
        throttles: [
          {
            account: 'work',
            agent: 'claude',
            classification: 'rate_limit_account',
            since: iso(-60),
            until: iso(7200),
            stated: true,
            consecutive: 1,
            network: 0,
            round_num: 11,
            phase: null,
          },
        ],
        refusals: [],
        seen: null,
      },
    }),
    'round_running',
    'Round 12 has been running for 1 min of at most 1 h 30 min with codex as fallback for work until 14:00 (2 h from now); nobody is needed.',
  ],
  [
    'round running, time unknown',
    running({ inFlight: { roundNum: 12, phase: null, startedAt: null, timeoutS: null, pid: null } }),
    'round_running',
    'Round 12 has been running; nobody is needed.',
  ],
  [
    'round running, its CLI waits for its next try',
    running({ inFlight: retried(-200, -200) }),
    'round_running',
    'Round 12 has been running for 12 min of at most 30 min; the CLI is retrying (429 rate_limit, attempt 3 of 10); nobody is needed.',
  ],
  [
    'round running, a retry is told again soon',
    running({ inFlight: retried(-40, -5) }),
    'round_running',
    'Round 12 has been running for 12 min of at most 30 min; the CLI is retrying (429 rate_limit, attempt 3 of 10); nobody is needed.',
  ],
  [
    'round running, its CLI went on after a retry',
    running({ inFlight: retried(-200, -5) }),
    'round_running',
    'Round 12 has been running for 12 min of at most 30 min; nobody is needed.',
  ],
  [
    'round running after crashes',
    running({ streaks: { ...NO_STREAKS, crash: 3 } }),
    'round_running',
    'Round 12 has been running for 12 min of at most 30 min, after 3 crashes in a row; nobody is needed.',
  ],
  [
    'round running after one stall',
    running({ streaks: { ...NO_STREAKS, stall: 1 } }),
    'round_running',
    'Round 12 has been running for 12 min of at most 30 min, after 1 stalled round in a row; nobody is needed.',
  ],
  [
    'single round without serve',
    running({ supervisor: { kind: 'none' }, soloRound: { pid: 99 } }),
    'round_running',
    'Round 12 has been running by itself (agent-runner round, pid 99) for 12 min of at most 30 min; nobody is needed.',
  ],
  [
    'round beyond its ceiling',
    running({ inFlight: { roundNum: 12, phase: null, startedAt: NOW - 60 * 60_000, timeoutS: 1800, pid: 5000 } }),
    'overdue',
    'Round 12 should have ended long ago (running for 1 h of at most 30 min): its supervisor may be stuck; a person is needed: end it: `agent-runner kill`.',
  ],
  [
    'draining',
    running({ wait: { reason: 'draining', until: null, since: iso(-5), source: 'signal', sentence: '' } }),
    'draining',
    'Draining: round 12 has been running for 12 min of at most 30 min, and serve stops when it ends, by 12:18 at the latest; `agent-runner kill` ends it now; nobody is needed.',
  ],
  [
    'draining without a round',
    serving({ wait: { reason: 'draining', until: null, since: iso(-5), source: 'signal', sentence: '' } }),
    'draining',
    'Stopping now; nobody is needed.',
  ],
  [
    'restart delay',
    waiting('restart_delay', 3),
    'restart_delay',
    'Waiting until 12:00 (3 s from now) before round 12: the ordinary pause between rounds; nobody is needed.',
  ],
  [
    'a wait that is over',
    waiting('restart_delay', -1),
    'starting',
    'serve is up (pid 4711) and about to start round 12; nobody is needed.',
  ],
  [
    'crash back-off',
    { ...waiting('crash_backoff', 24), streaks: { ...NO_STREAKS, crash: 3 } },
    'backing_off',
    'Backing off until 12:00 (24 s from now) after crash 3 of 5 in a row (serve stops at 5); nobody is needed.',
  ],
  [
    'error back-off',
    waiting('error_backoff', 90, 'the last round ended as agent_error'),
    'backing_off',
    'Backing off until 12:01 (1 min from now) (the last round ended as agent_error); nobody is needed.',
  ],
  [
    'error back-off without words',
    waiting('error_backoff', 90),
    'backing_off',
    'Backing off until 12:01 (1 min from now): the last round failed; nobody is needed.',
  ],
  [
    'environment',
    { ...waiting('environment', 6, 'no space left on the device'), streaks: { ...NO_STREAKS, environment: 2 } },
    'environment',
    'Waiting until 12:00 (6 s from now) to try again: the environment is not fit (no space left on the device), try 2 of 10 before a person is asked; nobody is needed.',
  ],
  [
    'environment, ten times',
    { ...waiting('environment', 6), needs: asked('environment') },
    'environment',
    'Waiting until 12:00 (6 s from now) to try again: the environment is not fit; a person is needed: please see to environment: `agent-runner ack environment`.',
  ],
  [
    'paused without end',
    { ...waiting('paused', null), pause: { until: null, since: iso(-7200) } },
    'paused',
    'Paused by a person 2 h ago; `agent-runner resume` goes on at once; nobody is needed.',
  ],
  [
    'paused until',
    { ...waiting('paused', 3900), pause: { until: iso(3900), since: iso(-60) } },
    'paused',
    'Paused by a person 1 min ago, until 13:05 (1 h 05 min from now); `agent-runner resume` goes on at once; nobody is needed.',
  ],
  [
    'pause just asked for, serve has not looked yet',
    serving({ pause: { until: iso(86_400), since: '' } }),
    'paused',
    'Paused by a person, until 2026-11-30 12:00 (1 d from now); `agent-runner resume` goes on at once; nobody is needed.',
  ],
  [
    'a pause that is over',
    serving({ pause: { until: iso(-1), since: iso(-60) } }),
    'starting',
    'serve is up (pid 4711) and about to start round 12; nobody is needed.',
  ],
  [
    'pause asked for while a round runs',
    running({ pause: { until: null, since: iso(-5) } }),
    'round_running',
    'Round 12 has been running for 12 min of at most 30 min; paused by a person: no further round starts until `agent-runner resume`; nobody is needed.',
  ],
  [
    'pause while serve is down',
    { ...stoppedWith(0, 'max_rounds'), pause: { until: iso(7200), since: iso(-5) } },
    'stopped',
    'Stopped 2 h ago: because of max_rounds, the last round was 17 (crash) 2 h ago; go on with `agent-runner serve`; paused by a person: no further round starts until 14:00 (2 h from now).',
  ],
  [
    'schedule',
    waiting('schedule', 7200, 'paused by the schedule until Mon 22:00 (Europe/Zurich): outside Mon-Fri 22:00-06:00'),
    'schedule',
    'Paused by the schedule until Mon 22:00 (Europe/Zurich): outside Mon-Fri 22:00-06:00; 2 h to go; `agent-runner wake` starts a round at once; nobody is needed.',
  ],
  [
    'schedule, by an older serve',
    waiting('schedule', 7200, ''),
    'schedule',
    'Paused by the schedule until 14:00 (2 h from now); 2 h to go; `agent-runner wake` starts a round at once; nobody is needed.',
  ],
  [
    'throttled',
    waiting('throttled', 10_800, "usage limit; the end is the provider's own word"),
    'throttled',
    "Waiting until 15:00 (3 h from now): the provider limits the agent (usage limit; the end is the provider's own word); `agent-runner wake` tries now; nobody is needed.",
  ],
  [
    'no network',
    waiting('network', 120, 'claude: the connection to the provider failed or broke; tried again by itself'),
    'network',
    'Waiting until 12:02 (2 min from now): nothing answers (claude: the connection to the provider failed or broke; tried again by itself); `agent-runner wake` tries now; nobody is needed.',
  ],
  [
    'refused',
    waiting('refused', 3600, 'the login of claude was refused'),
    'refused',
    "Waiting until 13:00 (1 h from now): the provider refuses the agent's credentials (the login of claude was refused); `agent-runner wake` tries now; nobody is needed.",
  ],
  [
    'throttled for billing',
    { ...waiting('throttled', 600, 'billing'), needs: asked('billing') },
    'throttled',
    'Waiting until 12:10 (10 min from now): the provider limits the agent (billing); `agent-runner wake` tries now; a person is needed: please see to billing: `agent-runner ack billing`.',
  ],
  [
    'memory',
    waiting('memory', null, 'all tasks stood still for memory in 70 % of the last 10 s (critical: 60)'),
    'memory',
    'Waiting until memory is free again: the host is short of it (all tasks stood still for memory in 70 % of the last 10 s (critical: 60)); it is looked at every 30 s; nobody is needed.',
  ],
  [
    'disk',
    waiting('disk', null, 'the disk of log_dir (/logs) is 97 % full, 900 MB are free'),
    'disk',
    'Waiting until there is room again: a disk is full (the disk of log_dir (/logs) is 97 % full, 900 MB are free); it is looked at every 30 s; nobody is needed.',
  ],
  [
    'survivors',
    { ...waiting('survivors', null, '1 process of an earlier round could not be ended: sleep (pid 7)'), needs: asked('survivors') },
    'survivors',
    'No round starts: processes of an earlier round survived every attempt to end them (1 process of an earlier round could not be ended: sleep (pid 7)); a person is needed: please see to survivors: `agent-runner ack survivors`.',
  ],
  [
    'budget',
    waiting('budget', 1800, '6 rounds an hour'),
    'budget',
    'Waiting until 12:30 (30 min from now): a limit is used up (6 rounds an hour); `agent-runner ack budget` counts anew and goes on; nobody is needed.',
  ],
  [
    'a wait of a later version',
    waiting('moon_phase', 60, 'the moon is wrong.'),
    'waiting',
    'Waiting until 12:01 (1 min from now) (the moon is wrong); nobody is needed.',
  ],
  [
    'a wait of a later version without words',
    waiting('moon_phase', null),
    'waiting',
    'Waiting without a time: moon_phase; nobody is needed.',
  ],
  [
    'not running, no record why',
    factsWith({ status: { round_num: 11, running: false, last_outcome: 'ok', last_completed_at: iso(-3600) } }),
    'not_running',
    'Not running, the last round was 11 (ok) 1 h ago; go on with `agent-runner serve`.',
  ],
  [
    'stopped by a signal',
    stoppedWith(0, 'signal', { sentence: 'on request (SIGTERM)' }),
    'stopped',
    'Stopped 2 h ago: on request (SIGTERM), the last round was 17 (crash) 2 h ago; go on with `agent-runner serve`.',
  ],
  [
    'stopped, exit 71',
    stoppedWith(71, 'mem_loop'),
    'stopped',
    'Stopped 2 h ago (exit 71): because of mem_loop, the last round was 17 (crash) 2 h ago; go on with `agent-runner serve`.',
  ],
  [
    'crash loop (75)',
    stoppedWith(75, 'crash_loop', {
      sentence: 'the agent failed 5 times in a row within a minute each',
      remedy: 'read the log of the last round',
      log_path: '/w/logs/rounds/R17.log',
    }),
    'stopped_on_purpose',
    'Stopped for good 2 h ago by crash_loop (exit 75): the agent failed 5 times in a row within a minute each; its log is /w/logs/rounds/R17.log; a person is needed: read the log of the last round: `agent-runner serve`.',
  ],
  [
    'a spent budget (75)',
    { ...stoppedWith(75, 'budget', { sentence: 'spent $20.10 of $20.00 in all', remedy: 'raise it' }), needs: asked('budget') },
    'stopped_on_purpose',
    'Stopped for good 2 h ago by budget (exit 75): spent $20.10 of $20.00 in all; a person is needed: count anew, or raise the limit, and start serve again: `agent-runner ack budget`.',
  ],
  [
    'a spent budget that a person has answered',
    stoppedWith(75, 'budget', { sentence: 'spent $20.10 of $20.00 in all', remedy: 'raise it, then start serve again' }),
    'stopped_on_purpose',
    'Stopped for good 2 h ago by budget (exit 75): spent $20.10 of $20.00 in all; a person is needed: start serve again: `agent-runner serve`.',
  ],
  [
    'no progress (75) without a remedy',
    stoppedWith(75, 'stalled_no_progress', { sentence: '' }),
    'stopped_on_purpose',
    'Stopped for good 2 h ago by stalled_no_progress (exit 75): a breaker tripped; a person is needed: see to the cause, then start it again: `agent-runner serve`.',
  ],
  [
    'auth (78)',
    { ...stoppedWith(78, 'auth', { sentence: 'claude was refused by its provider 3 times in a row' }), needs: asked('auth') },
    'stopped_on_purpose',
    'Stopped for good 2 h ago by auth (exit 78): claude was refused by its provider 3 times in a row; a person is needed: see to the cause, then start it again: `agent-runner serve`.',
  ],
  [
    'memory loop for good (70)',
    stoppedWith(70, 'mem_loop_persistent'),
    'stopped_on_purpose',
    'Stopped for good 2 h ago by mem_loop_persistent (exit 70): because of mem_loop_persistent; a person is needed: see to the cause, then start it again: `agent-runner serve`.',
  ],
  [
    'parked after a crash loop',
    serving({
      stopped: stoppedWith(75, 'crash_loop', {
        sentence: 'the agent failed 5 times',
        remedy: 'read the log, then start serve again',
        parked: { command: 'docker restart 0123456789ab' },
      }).stopped,
    }),
    'parked',
    'Parked: serve (pid 4711) stays up and starts no round, stopped for good 2 h ago by crash_loop (exit 75): the agent failed 5 times; a person is needed: read the log, then start serve again: `docker restart 0123456789ab`.',
  ],
  [
    'died during a round',
    running({ supervisor: { kind: 'dead', pid: 4711 } }),
    'died',
    'serve (pid 4711) died without a word during round 12, and what it started may still be alive (serve ends that first, `agent-runner kill` ends that alone); a person is needed: start it again: `agent-runner serve`.',
  ],
  [
    'died between rounds',
    serving({ supervisor: { kind: 'dead', pid: 4711 } }),
    'died',
    'serve (pid 4711) died without a word between two rounds; a person is needed: start it again: `agent-runner serve`.',
  ],
  [
    'died, the pid file is gone too',
    factsWith({ status: { round_num: 12, running: true } }),
    'died',
    'The supervisor died without a word during round 12, and what it started may still be alive (serve ends that first, `agent-runner kill` ends that alone); a person is needed: start it again: `agent-runner serve`.',
  ],
  [
    'a single round died after serve had stopped in order',
    { ...stoppedWith(0, 'once'), inFlight: { roundNum: 18, phase: null, startedAt: NOW - 60_000, timeoutS: 1800, pid: 5000 } },
    'died',
    'The supervisor died without a word during round 18, and what it started may still be alive (serve ends that first, `agent-runner kill` ends that alone); a person is needed: start it again: `agent-runner serve`.',
  ],
  [
    'configuration broken while serve runs',
    running({ configProblem: { kind: 'broken', message: 'Invalid TOML document: incomplete key' } }),
    'round_running',
    'Round 12 has been running for 12 min of at most 30 min; /w/shop/agent-runner.toml cannot be used now (Invalid TOML document: incomplete key), and serve keeps what it has read; a person is needed: mend the file: `${EDITOR:-vi} /w/shop/agent-runner.toml`.',
  ],
  [
    'configuration changed during a round',
    running({ needs: asked('config') }),
    'round_running',
    'Round 12 has been running for 12 min of at most 30 min; a person is needed: please see to config: `agent-runner ack config`.',
  ],
  [
    'configuration changed while a round runs',
    running({ configPending: true }),
    'round_running',
    'Round 12 has been running for 12 min of at most 30 min; the configuration was changed and is not in force; nobody is needed.',
  ],
  [
    'configuration changed between rounds',
    serving({ configPending: true }),
    'starting',
    'serve is up (pid 4711) and about to start round 12; the configuration was changed and is not in force (`agent-runner reload` adopts it); nobody is needed.',
  ],
  [
    'died while a person was asked',
    serving({ supervisor: { kind: 'dead', pid: 4711 }, needs: asked('config') }),
    'died',
    'serve (pid 4711) died without a word between two rounds; a person is needed: start it again: `agent-runner serve` (and 1 more).',
  ],
  [
    'two needs',
    running({ needs: asked('config', 'auth', 'billing'), configGiven: true }),
    'round_running',
    'Round 12 has been running for 12 min of at most 30 min; a person is needed: please see to config: `agent-runner ack config --config /w/shop/agent-runner.toml` (and 2 more).',
  ],
  [
    'damaged status',
    running({ damaged: ['/w/logs/status.json is damaged (not valid JSON)'], status: null }),
    'round_running',
    'Round 12 has been running for 12 min of at most 30 min; note that /w/logs/status.json is damaged (not valid JSON); nobody is needed.',
  ],
  [
    'degraded',
    running({ degraded: ['3 events could not be written'] }),
    'round_running',
    'Round 12 has been running for 12 min of at most 30 min; degraded: 3 events could not be written; nobody is needed.',
  ],
  [
    'a pid file that nobody can read',
    factsWith({ supervisor: { kind: 'garbled' } }),
    'never_started',
    'Never started: nothing has run in shop yet; begin with `agent-runner serve`.',
  ],
];

test.each(TABLE)('%s', (_name, facts, state, words) => {
  expect(sentence(facts, NOW)).toBe(words);
  expect(situationOf(facts, NOW).state).toBe(state);
});

test('every state is in the table', () => {
  expect(new Set(TABLE.map(([, , state]) => state))).toEqual(new Set(Object.keys(PEEK_STATES)));
});

test('what a state file says cannot steer the terminal', () => {
  const facts = waiting('throttled', 60, 'limit\u001b[2J\u0007\nsecond\u202e line');
  expect(sentence(facts, NOW)).toContain('(limit[2J second line)');
});

test('a long word of somebody else does not bury the sentence', () => {
  expect(sentence(waiting('throttled', 60, 'x'.repeat(10_000)), NOW).length).toBeLessThan(600);
});
