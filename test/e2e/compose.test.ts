import { writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { buildImage, type ComposeProject, composeProject, demoImage, must, up, WELL } from '../support/compose.ts';
import { requirePart } from '../support/parts.ts';
import { CLI } from '../support/project.ts';
import { ROOT } from '../support/sources.ts';
import { until } from '../support/wait.ts';

const MINUTES = 60_000;
const present = ['DOCKER_HOST'].every((name) => process.env[name] !== undefined);

beforeEach((context) => requirePart(context, 'linux', 'root', 'docker', 'compose', 'debootstrap'));
beforeAll(async () => {
  if (present) await demoImage();
}, 6 * MINUTES);

const rounds = (at: ComposeProject, count: number, timeoutMs = 30_000) =>
  until(`${count} rounds are done`, async () => (await at.events('round_end')).length >= count, timeoutMs);

describe('all in one container', () => {
  it(
    'up: two rounds are done, health turns to healthy, the agent’s commits are the work tree’s; nobody is root',
    async () => {
      const at = await composeProject('agent-runner');
      at.setAgent(`id -u > who.txt; echo "$HOME" >> who.txt; ${WELL}`);
      await up(at);
      await rounds(at, 2);
      await at.health('healthy');
      expect(await at.inspect('{{.HostConfig.RestartPolicy.Name}} {{.HostConfig.Init}} {{.Config.StopTimeout}}')).toBe(
        'on-failure true 287',
      );
      expect((await at.events('agent_exit')).map(({ outcome }) => outcome).slice(0, 2)).toEqual(['ok', 'ok']);
      expect(at.git('log', '--format=%an %s').split('\n')).toContain('Person one more line');
      expect(at.git('show', 'HEAD:who.txt')).toBe('1000\n/home/agent');
      const { stdout } = await at.exec('agent-runner', 'peek');
      expect(stdout).toMatch(/nobody is needed\.\n/);
      expect((await at.exec('cat', '/proc/1/comm')).stdout.trim()).not.toBe('node');
    },
    2 * MINUTES,
  );

  it(
    'field bug 30: stop drains the round in flight within its grace, longer than any engine waits by itself, and exits with 0',
    async () => {
      const at = await composeProject('agent-runner');
      at.setAgent(`echo started > /tmp/started; sleep 13; ${WELL}`);
      await up(at);
      await until('a round is in the middle', async () => (await at.exec('test', '-e', '/tmp/started')).code === 0);
      const since = performance.now();
      await at.compose('stop');
      const took = performance.now() - since;
      expect(await at.inspect('{{.State.ExitCode}} {{.State.OOMKilled}} {{.RestartCount}}')).toBe('0 false 0');
      expect(took).toBeGreaterThan(10_000);
      expect(took).toBeLessThan(20_000);
      expect(at.git('log', '--format=%s', '-1')).toBe('one more line');

      at.setAgent(WELL);
      await at.compose('start');
      await rounds(at, 2);
      expect(await at.events('serve_stopped')).toMatchObject([{ reason: 'signal', exit_code: 0, rounds_completed: 1 }]);
      expect(await at.events('round_recovered')).toEqual([]);
    },
    2 * MINUTES,
  );

  it(
    'field bug 16: fifty orphaned children leave no zombie',
    async () => {
      const at = await composeProject('agent-runner');
      const orphans = 'for i in $(seq 50); do (setsid sh -c "sleep 1; exit 3" >/dev/null 2>&1 &); done';
      at.setAgent(`${orphans}; sleep 0.5; ps -eo comm= | grep -c sleep > orphans.txt; sleep 1.5; ${WELL}`);
      await up(at);
      await rounds(at, 1);
      expect(Number(at.git('show', 'HEAD:orphans.txt'))).toBeGreaterThanOrEqual(50);
      // Those of a process that somebody started from outside come to process 1.
      await at.exec('sh', '-c', orphans);
      const zombies = async () => (await at.exec('sh', '-c', 'ps -eo stat= | grep -c ^Z')).stdout.trim();
      await until('no zombie is left', async () => (await zombies()) === '0', 4_000);
    },
    2 * MINUTES,
  );

  it(
    'a breaker parks: the container stays up and turns unhealthy; a restart clears it',
    async () => {
      const at = await composeProject('agent-runner');
      at.setAgent('echo dead; exit 9');
      await up(at);
      await at.event('serve_parked', undefined, 90_000);
      await at.health('unhealthy');
      expect(await at.inspect('{{.State.Status}} {{.RestartCount}}')).toBe('running 0');
      const check = await at.exec('agent-runner', 'peek', '--check');
      expect(check.code).toBe(1);
      expect(check.stdout).toMatch(
        /^Parked: .* by crash_loop \(exit 75\): .*`docker-compose -f deploy\/docker-compose.yml restart agent-runner`\.\n$/,
      );
      const before = (await at.events('round_start')).length;

      at.setAgent(WELL);
      const since = performance.now();
      await at.compose('restart');
      expect(performance.now() - since).toBeLessThan(10_000);
      await rounds(at, before + 1);
      await at.health('healthy');
      expect((await at.exec('agent-runner', 'peek', '--json')).stdout).not.toContain('"state": "parked"');
    },
    4 * MINUTES,
  );

  it(
    'a configuration that is wrong at start parks with 78 instead of restarting for ever',
    async () => {
      const at = await composeProject('agent-runner');
      at.edit('agent-runner.toml', '[agent]\n', '[agent]\ncolour = "red"\n');
      await up(at);
      await until('it is parked', async () => (await at.compose('logs')).includes('parked:'));
      const { code, stdout } = await at.exec('agent-runner', 'peek', '--check');
      expect([code, stdout.slice(0, 7)]).toEqual([1, 'Parked:']);
      expect(await at.inspect('{{.State.Status}} {{.RestartCount}}')).toBe('running 0');
      at.edit('agent-runner.toml', 'colour = "red"\n', '');
      await at.compose('restart');
      await rounds(at, 1);
    },
    2 * MINUTES,
  );

  it(
    'a clean end stays ended; a killed supervisor comes back, ends the dead one’s round and goes on',
    async () => {
      const at = await composeProject('agent-runner');
      at.setAgent(
        '[ -e /work/go ] || { echo started > /tmp/started; setsid sleep 300 & sleep 300; }; echo enough > $AGENT_RUNNER_LOG_DIR/.agent-done; echo well',
      );
      await up(at);
      await until('a round is in the middle', async () => (await at.exec('test', '-e', '/tmp/started')).code === 0);
      writeFileSync(join(at.work, 'go'), '');
      const pid = (await at.exec('agent-runner', 'peek', '--select', 'service.pid')).stdout.trim();
      await at.exec('kill', '-9', pid);
      await until('it was restarted', async () => (await at.inspect('{{.RestartCount}}')) === '1');
      await until('the agent said that it is done', async () => (await at.inspect('{{.State.Status}}')) === 'exited');
      expect(await at.inspect('{{.State.ExitCode}} {{.RestartCount}}')).toBe('0 1');
      const logs = await at.compose('logs');
      expect(logs).toContain('the supervisor before died during a round');
      expect(logs).toContain('the agent said that it is done: enough');
    },
    2 * MINUTES,
  );

  it(
    'secrets come from the env file; the deploy files cannot be edited from inside',
    async () => {
      const at = await composeProject('agent-runner');
      writeFileSync(join(at.home, '.agent-runner', at.work.split('/').at(-1) ?? '', 'env'), 'MY_KEY=from-the-file\nTZ=Mars\n');
      at.setAgent(`echo "$MY_KEY [$TZ]" > seen.txt; echo hacked > deploy/docker-compose.yml || echo refused >> seen.txt; ${WELL}`);
      await up(at);
      await rounds(at, 1);
      // TZ is named without a value in the compose file, too: that is the trap which its comment tells of.
      expect(at.git('show', 'HEAD:seen.txt')).toBe('from-the-file []\nrefused');
      expect(at.git('status', '--porcelain')).toBe('');
    },
    2 * MINUTES,
  );
});

describe('a container for each round, the supervisor in one of its own', () => {
  it(
    'up: two rounds are done by containers that are gone afterwards; the agent sees neither the engine nor the supervisor',
    async () => {
      const at = await composeProject('supervisor', ['--container', 'docker']);
      at.edit('agent-runner.toml', '"--rm",', '"--rm", "--network", "none",');
      const look =
        'ls /var/run/docker.sock /opt/agent-runner-state $HOME/.agent-runner 2>/dev/null; ps -eo args= | grep -c "serve --pa[r]k"';
      at.setAgent(`hostname > seen.txt; id -u >> seen.txt; { ${look}; } >> seen.txt; ${WELL}`);
      await up(at);
      await rounds(at, 2, 60_000);
      await at.health('healthy');
      expect((await at.events('agent_exit')).map(({ outcome }) => outcome).slice(0, 2)).toEqual(['ok', 'ok']);
      const [first = '', ...rest] = at.git('show', 'HEAD:seen.txt').split('\n');
      expect(first).toMatch(/^[0-9a-f]{12}$/);
      expect(rest).toEqual(['1000', '0']);
      expect(await at.inspect('{{.Config.StopTimeout}}')).toBe('307');
      // `peek` on the machine itself finds the same state: the paths are the same inside and outside.
      const outside = await must([process.execPath, CLI, 'peek', '--json'], { cwd: at.work, env: { HOME: at.home } });
      expect(JSON.parse(outside)).toMatchObject({ project: basename(at.work), status: { last_outcome: 'ok' } });
      await at.compose('stop');
      expect(await at.inspect('{{.State.ExitCode}}')).toBe('0');
      const running = await must(['docker', 'ps', '-q', '--filter', `volume=${at.work}`]);
      expect(running).toBe('');
    },
    3 * MINUTES,
  );
});

describe('a container for each round: the way back from the agent', () => {
  it(
    '.agent-done, written inside the round’s container, ends the supervisor in its own, with 0 and for good',
    async () => {
      const at = await composeProject('supervisor', ['--container', 'docker']);
      at.edit('agent-runner.toml', '"--rm",', '"--rm", "--network", "none",');
      at.setAgent(`ls -a $AGENT_RUNNER_LOG_DIR > seen.txt; echo "plan is empty" > $AGENT_RUNNER_LOG_DIR/.agent-done; ${WELL}`);
      await up(at);
      await until('the supervisor has ended', async () => (await at.inspect('{{.State.Status}}')) === 'exited', MINUTES);
      expect(await at.inspect('{{.State.ExitCode}} {{.RestartCount}}')).toBe('0 0');
      expect(await at.compose('logs')).toContain('the agent said that it is done: plan is empty');
      expect(at.git('show', 'HEAD:seen.txt')).toContain('round-context.json');
      expect(await must(['docker', 'ps', '-aq', '--filter', `volume=${at.work}`, '--filter', 'label=agent-runner.round'])).toBe('');
    },
    3 * MINUTES,
  );
});

it('the image holds the program and no secret, and its user can change neither program nor agent', async () => {
  const run = (...argv: string[]) =>
    must(['docker', 'run', '--rm', '--pull', 'never', '--network', 'none', 'agent-runner-demo:local', ...argv]);
  expect(await run('agent-runner', '--version')).toMatch(/^agent-runner \d/);
  expect(await run('sh', '-c', 'id -u; stat -c %u "$HOME"; touch "$HOME/x" && echo writes')).toBe('1000\n1000\nwrites\n');
  expect(
    await run('sh', '-c', 'for f in /usr/local/bin /opt/agent-runner /opt/agent-runner/dist/main.js; do [ -w $f ] && echo $f; done; true'),
  ).toBe('');
  expect(await run('sh', '-c', 'find / -xdev -name "env" -path "*agent-runner*" 2>/dev/null; getent passwd 1000')).toMatch(/^agent:/);
});

it(
  'the slot for an agent: its program is root’s, the uid is the one asked for; a command that fails fails the build',
  async () => {
    const image = 'agent-runner-test/slot:1';
    const install = 'printf "#!/bin/sh\\necho hi\\n" > /usr/local/bin/my-agent && chmod 755 /usr/local/bin/my-agent';
    await buildImage(ROOT, image, 'agent', { AGENT_INSTALL: install, AGENT_UID: '1234', AGENT_GID: '1235' });
    const look =
      'my-agent; id -u; id -g; stat -c %u:%g $HOME; [ -w /usr/local/bin/my-agent ] || echo safe; command -v agent-runner || echo none';
    const seen = await must(['docker', 'run', '--rm', '--pull', 'never', '--network', 'none', image, 'sh', '-c', look]);
    expect(seen.split('\n')).toEqual(['hi', '1234', '1235', '1234:1235', 'safe', 'none', '']);
    await expect(buildImage(ROOT, 'agent-runner-test/broken:1', 'agent', { AGENT_INSTALL: 'false' })).rejects.toThrow(/exit/);
  },
  2 * MINUTES,
);
