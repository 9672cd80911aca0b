import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Project, project, type Running } from '../support/project.ts';
import { slowShim } from '../support/shim.ts';
import { until } from '../support/wait.ts';

/**
 * Field bug 18: each agent looks whether one of the agents (or helpers) before it still lives, and tells. Zombies are dead.
 * `$L` is the log_dir; `remember PID` makes a process one that nobody may run beside.
 */
const WATCHFUL = `cat >/dev/null; L=$AGENT_RUNNER_LOG_DIR; touch $L/pids
remember() { echo $1 >> $L/pids; }
while read p; do if [ -d /proc/$p ] && ! grep -q '^State:.[ZX]' /proc/$p/status 2>/dev/null; then echo "$p lives beside $$" >> $L/violations; fi; done < $L/pids
remember $$
`;
const DONE = 'echo \'{"type":"result","is_error":false}\'';
/** Only the first agent behaves badly; those after a restart end at once. */
const once = (script: string) => `${WATCHFUL}if mkdir $L/first 2>/dev/null; then ${script}\nfi\n${DONE}`;
const DEAF_HELPER = `setsid sh -c 'trap "" TERM; echo $$ >> $0/pids; while :; do sleep 0.2; done' $L </dev/null >/dev/null 2>&1 & while ! [ "$(wc -l < $L/pids)" -ge 2 ]; do sleep 0.02; done`;

interface Point {
  name: string;
  agent: string;
  runtime?: Record<string, unknown>;
  shim?: [name: string, when: string];
  /** When to kill; the shim's own mark when absent. */
  when?: (at: Project) => boolean;
  /** The intent was on disk when the supervisor died. */
  recovered: boolean;
}

const agentStarted = (at: Project) => existsSync(join(at.logDir, 'pids')) && existsSync(join(at.logDir, 'first'));
const helperStarted = (at: Project) => agentStarted(at) && readFileSync(join(at.logDir, 'pids'), 'utf8').trim().split('\n').length >= 2;

const POINTS: Point[] = [
  {
    name: 'while it looks at the tree at its start',
    agent: once(':'),
    shim: ['git', 'case " $* " in *" status "*) true;; *) false;; esac'],
    recovered: false,
  },
  { name: 'while it takes a lock', agent: once(':'), shim: ['flock', 'true'], recovered: false },
  {
    name: 'between the intent and the spawn',
    agent: once(':'),
    shim: ['mkfifo', 'true'],
    when: (at) => at.json('round-in-flight.json') !== null && existsSync(join(at.folder, 'mkfifo-reached')),
    recovered: true,
  },
  { name: 'by the first act of its agent', agent: once('kill -9 $PPID; sleep 60'), when: agentStarted, recovered: true },
  { name: 'in the middle of a turn', agent: once('sleep 60'), when: agentStarted, recovered: true },
  { name: 'in the middle of a turn, with a deaf escapee', agent: once(`${DEAF_HELPER}; sleep 60`), when: helperStarted, recovered: true },
  {
    name: 'while the ladder waits for a deaf helper',
    agent: once(`${DEAF_HELPER}; : > $L/leaving; exit 0`),
    when: (at) => helperStarted(at) && existsSync(join(at.logDir, 'leaving')),
    recovered: true,
  },
  {
    name: 'while it looks at the tree after the agent',
    agent: once(': > $L/leaving'),
    shim: ['git', `[ -e "$(dirname "$0")/../logs/leaving" ] && case " $* " in *" status "*) true;; *) false;; esac`],
    recovered: true,
  },
  {
    name: 'in the middle of a stash',
    agent: once('echo dirt > dirt.txt'),
    shim: ['git', 'case " $* " in *" stash push "*) true;; *) false;; esac'],
    recovered: true,
  },
  {
    name: 'between two rounds',
    agent: once(':'),
    runtime: { restart_delay_s: 6 },
    when: (at) => at.events('round_end').length === 1 && at.has('state/wait.json'),
    recovered: false,
  },
];

async function killedAt({ agent, runtime = {}, shim, when }: Point) {
  const at = project({ agent, runtime: { round_timeout_s: 90, ...runtime } });
  const slow = shim ? slowShim(at, ...shim) : null;
  const serve = at.start(['serve'], slow ? { env: { PATH: slow.path } } : {});
  await until('the moment to kill', () => (when ? when(at) : slow?.reached()), 20_000);
  const intent = at.json('round-in-flight.json');
  serve.child.kill('SIGKILL');
  await serve.ended;
  return { at, intent };
}

function expectSound(at: Project) {
  expect(existsSync(join(at.logDir, 'violations')), 'two agents were alive at once').toBe(false);
  expect(at.agents()).toEqual([]);
  expect(at.json('round-in-flight.json')).toBeNull();
  const numbers = at.events('round_start').map(({ round_num }) => round_num);
  expect(new Set(numbers).size, 'a round number was used twice').toBe(numbers.length);
  expect([...numbers].sort((a, b) => a - b)).toEqual(numbers);
  const log = readFileSync(join(at.logDir, at.events().length > 0 ? eventFile(at) : ''), 'utf8');
  expect(log.endsWith('\n')).toBe(true);
  for (const line of log.trimEnd().split('\n')) expect(() => JSON.parse(line)).not.toThrow();
}

function eventFile(at: Project): string {
  return `events-${at.events()[0]?.ts.slice(0, 7)}.jsonl`;
}

describe('field bug 18: kill -9 of serve, then start again', () => {
  it.each(POINTS)('killed $name', async (point) => {
    const { at, intent } = await killedAt(point);
    expect(intent !== null).toBe(point.recovered);

    // A restart delay is over when there was a restart.
    const again = await at.run(['serve', '--max-rounds', '2'], { timeoutMs: 60_000 });
    expect(again.code, again.stderr).toBe(0);
    expectSound(at);
    const recoveries = at.events('round_recovered');
    expect(recoveries).toHaveLength(point.recovered ? 1 : 0);
    if (intent) expect(recoveries[0]).toMatchObject({ round_num: intent.round_num, round_id: intent.round_id });
    const later = at.events('round_start').map(({ round_num }) => round_num);
    if (intent) expect(later.filter((num) => num > Number(intent.round_num))).toHaveLength(2);
  });

  it('killed once more while it recovers', async () => {
    const { at } = await killedAt({ name: '', agent: once(`${DEAF_HELPER}; sleep 60`), when: helperStarted, recovered: true });
    const second: Running = at.start(['serve']);
    await until('the recovery began', () => second.stderr().length > 0 || at.agents().length < 3, 10_000);
    second.child.kill('SIGKILL');
    await second.ended;
    expect(at.json('round-in-flight.json')).not.toBeNull();
    expect((await at.run(['serve', '--max-rounds', '1'], { timeoutMs: 60_000 })).code).toBe(0);
    expectSound(at);
    expect(at.events('round_recovered')).toHaveLength(1);
  });

  it('and the next one is a single round, not serve', async () => {
    const { at, intent } = await killedAt({ name: '', agent: once('sleep 60'), when: agentStarted, recovered: true });
    expect((await at.run(['round'])).code).toBe(0);
    expectSound(at);
    expect(at.events('round_recovered')).toMatchObject([{ round_num: intent?.round_num }]);
  });

  it('field bug 30: the dirt of a killed round stays in the tree, and a stash that was begun loses nothing', async () => {
    const point = POINTS.find(({ name }) => name === 'in the middle of a stash') as Point;
    const { at } = await killedAt(point);
    await at.run(['serve', '--max-rounds', '2'], { timeoutMs: 60_000 });
    const stashed = at.git('stash', 'list') !== '' && at.git('show', 'stash@{0}^3:dirt.txt') === 'dirt';
    expect(stashed || readFileSync(join(at.workDir, 'dirt.txt'), 'utf8') === 'dirt\n').toBe(true);
  });
});
