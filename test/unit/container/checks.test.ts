import { describe, expect, it } from 'vitest';
import { checkContainer } from '../../../src/container/checks.ts';
import type { ContainerCheckInput } from '../../../src/container/problem.ts';
import { CONTAINER_ERROR_CODES } from '../../../src/util/container-error-codes.ts';

const GOOD = 'docker run --rm -i --init -u 1000:1000 -v /home/me/work:/work -w /work img';

function check(prefix: string, more: Partial<ContainerCheckInput> = {}) {
  const tokens = prefix.split(' ').filter((word) => word !== '');
  return checkContainer({
    argv: [...tokens, 'claude', '-p'],
    prefixLength: tokens.length,
    promptDelivery: 'stdin',
    workDir: '/home/me/work',
    logDir: '/home/me/.agent-runner/work/logs',
    env: { SET: '1' },
    gitFile: null,
    imagePresent: null,
    user: 'me',
    realPath: (path) => path,
    ...more,
  });
}

const codes = (prefix: string, more: Partial<ContainerCheckInput> = {}) => check(prefix, more).map(({ code }) => code.slice(-3));
const errors = (prefix: string, more: Partial<ContainerCheckInput> = {}) =>
  check(prefix, more).flatMap(({ code, severity }) => (severity === 'error' ? [code.slice(-3)] : []));
const without = (option: string) => GOOD.replace(option, '').replaceAll('  ', ' ');

describe('a good prefix', () => {
  it.each([
    GOOD,
    `sudo -E ${GOOD}`,
    GOOD.replace('docker', 'podman --runtime runc'),
    GOOD.replace('docker run', 'docker container run'),
    '',
  ])('has no problem: %s', (prefix) => {
    expect(check(prefix)).toEqual([]);
  });

  it('an agent that is no container has none', () => {
    expect(check('nice -n 5')).toEqual([]);
    expect(checkContainer({ ...base(), argv: ['dockerized-thing', 'run'], prefixLength: 0 })).toEqual([]);
  });
});

function base(): ContainerCheckInput {
  return {
    argv: [],
    prefixLength: 0,
    promptDelivery: 'argv',
    workDir: '/home/me/work',
    logDir: '/log',
    env: {},
    gitFile: null,
    imagePresent: null,
    user: 'me',
    realPath: (path) => path,
  };
}

describe('errors that no round could survive (reference case 20)', () => {
  it.each([
    ['scar 18: stdin without -i', without('-i'), {}, ['001']],
    ['reference case 20: --init does not satisfy -i', 'docker run --rm --init -u 1 -v /home/me/work:/work img', {}, ['001']],
    ['--interactive=false', GOOD.replace('-i ', '--interactive=false '), {}, ['001']],
    ['an -i of the command, not of the engine', `${without('-i')} -i`, {}, ['001']],
    ['stdin is not used', without('-i'), { promptDelivery: 'argv' as const }, []],
    ['a cluster', GOOD.replace('-i ', '-iq '), {}, []],
    ['field bug 27: -it', GOOD.replace('-i ', '-it '), {}, ['002']],
    ['--tty', `${GOOD.replace('--rm', '--rm --tty')}`, {}, ['002']],
    ['-t of the command', `${GOOD} -t`, {}, []],
    ['-d', GOOD.replace('--rm', '--rm -d'), {}, ['003']],
    ['--detach=false', GOOD.replace('--rm', '--rm --detach=false'), {}, []],
    ['scar 17: log_dir in work_dir', GOOD, { logDir: '/home/me/work/.agent/log' }, ['004']],
    ['log_dir in another mount', GOOD.replace('-w', '-v /home/me/.agent-runner:/x:ro -w'), {}, ['004']],
    ['log_dir is the mount', GOOD.replace('-w', '--mount type=bind,src=/home/me/.agent-runner/work/logs,dst=/x -w'), {}, ['004']],
    ['a sibling with the same beginning', GOOD, { logDir: '/home/me/work-logs' }, []],
    ['a link to it', GOOD, { realPath: (path: string) => path.replace('/home/me/.agent-runner', '/home/me/work/sub') }, ['004']],
    ['docker exec', 'docker exec -i box', {}, ['006']],
    ['compose run', 'docker compose run --rm box', {}, ['006']],
    ['docker-compose exec', 'sudo docker-compose exec box', {}, ['006']],
    ['field bug 31: a missing image', GOOD.replace('--rm', '--rm --pull never'), { imagePresent: false }, ['007']],
    ['an image that is there', GOOD.replace('--rm', '--rm --pull never'), { imagePresent: true }, []],
    ['several at once', 'docker run -td img', {}, ['001', '002', '003']],
  ])('%s', (_, prefix, more, expected) => {
    expect(errors(prefix, more)).toEqual(expected);
  });

  it('names the prefix where the container stands in the command itself', () => {
    const argv = ['docker', 'run', '-i', '--rm', 'img'];
    expect(checkContainer({ ...base(), argv, promptDelivery: 'stdin' }).filter(({ severity }) => severity === 'error')).toEqual([]);
  });
});

describe('field bug 31: a linked worktree', () => {
  const linked = {
    written: '/home/me/repo/.git/worktrees/work',
    gitDir: '/home/me/repo/.git/worktrees/work',
    commonDir: '/home/me/repo/.git',
  };
  const relative = { ...linked, written: '../repo/.git/worktrees/work' };

  it('is refused with the mount that is missing', () => {
    expect(check(GOOD, { gitFile: linked })).toMatchObject([
      { code: 'AR-CON-005', remedy: 'add "-v", "/home/me/repo/.git:/home/me/repo/.git" to agent.exec_prefix' },
    ]);
  });
  it.each([
    ['the repository at its own path', '-v /home/me/repo/.git:/home/me/repo/.git', linked, []],
    ['a parent at its own path', '-v /home/me/repo:/home/me/repo', linked, []],
    ['the repository at another path', '-v /home/me/repo/.git:/repo/.git', linked, ['005']],
    ['only the worktree folder of it', '-v /home/me/repo/.git/worktrees/work:/home/me/repo/.git/worktrees/work', linked, ['005']],
    ['a relative pointer, where it leads inside', '-v /home/me/repo:/repo', relative, []],
    ['a relative pointer that leads elsewhere', '-v /home/me/repo:/home/me/repo', relative, ['005']],
  ])('%s', (_, mount, gitFile, expected) => {
    expect(errors(GOOD.replace('-w', `${mount} -w`), { gitFile })).toEqual(expected);
  });
});

describe('warnings', () => {
  it.each([
    ['no --rm', without('--rm'), {}, ['010']],
    ['no --init', without('--init'), {}, ['011']],
    ['no -u', without('-u 1000:1000'), {}, ['012']],
    ['--userns instead of -u', GOOD.replace('-u 1000:1000', '--userns=keep-id'), {}, []],
    ['a valued secret', GOOD.replace('-w', '-e ANTHROPIC_API_KEY=sk-1 -w'), {}, ['013']],
    ['a valued token', GOOD.replace('-w', '--env=GH_TOKEN=x -w'), {}, ['013']],
    ['not secrets', GOOD.replace('-w', '-e MAX_OUTPUT_TOKENS=1 -e HOME=/h -e GIT_AUTHOR_NAME=x -e API_KEY= -w'), {}, []],
    ['an unset name', GOOD.replace('-w', '-e ANTHROPIC_API_KEY -e SET -w'), {}, ['014']],
    ['a name that sudo drops', `sudo ${GOOD.replace('-w', '-e SET -w')}`, {}, ['014']],
    ['a name that sudo keeps', `sudo --preserve-env=SET ${GOOD.replace('-w', '-e SET -w')}`, {}, []],
    ['a name that env sets', `env NEW=1 ${GOOD.replace('-w', '-e NEW -w')}`, {}, []],
    ['our own names', GOOD.replace('-w', '-e AGENT_RUNNER_PHASE -w'), {}, []],
    ['--network none', GOOD.replace('-w', '--network none -w'), {}, ['015']],
    ['--sig-proxy=false', GOOD.replace('-w', '--sig-proxy=false -w'), {}, ['016']],
    ['credentials in the tree', GOOD.replace('-w', '-v /home/me/work/.claude:/home/agent/.claude -w'), {}, ['017']],
    ['credentials mounted into the tree', GOOD.replace('-w', '-v /home/me/.codex:/work/.codex -w'), {}, ['017']],
    ['credentials elsewhere', GOOD.replace('-w', '-v /home/me/.claude:/home/agent/.claude -w'), {}, []],
    ['a shell line', 'bash -c docker\u00a0run', {}, ['018']],
    ['ssh', 'ssh box docker run img', {}, ['018']],
    ["the operator's cidfile", GOOD.replace('-w', '--cidfile /tmp/c -w'), {}, ['019']],
    ['another user', `sudo -E -u bob ${GOOD}`, {}, ['021']],
    ['the same user', `sudo -E -u me ${GOOD}`, {}, []],
    ['work_dir not mounted', GOOD.replace('/home/me/work:/work', '/home/me/other:/work'), {}, ['022']],
    ['a parent of work_dir mounted', GOOD.replace('/home/me/work:/work', '/home/me/wor:/x -v /home/me/work:/work'), {}, []],
    ["the engine's socket", GOOD.replace('-w', '-v /var/run/docker.sock:/var/run/docker.sock -w'), {}, ['023']],
    ['no image', GOOD.replace(' img', ''), {}, ['024']],
  ])('%s', (_, prefix, more, expected) => {
    expect(codes(prefix, more)).toEqual(expected);
  });

  it('never holds the secret itself', () => {
    expect(JSON.stringify(check(GOOD.replace('-w', '-e ANTHROPIC_API_KEY=sk-secret -w')))).not.toContain('sk-secret');
  });
});

it('every problem has a code of the list and a remedy', () => {
  for (const prefix of ['docker run -td img', 'docker exec x', 'ssh box docker run x', GOOD]) {
    for (const found of check(prefix, { imagePresent: false })) {
      expect(CONTAINER_ERROR_CODES).toHaveProperty(found.code);
      expect(found.remedy).not.toBe('');
    }
  }
});
