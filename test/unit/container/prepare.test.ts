import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { injectOptions } from '../../../src/container/inject.ts';
import { prepareContainer } from '../../../src/container/prepare.ts';
import { makeRoundFolder, removeRoundFolders } from '../../../src/container/private-dir.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'agent-runner-test-'));
  mkdirSync(join(folder, 'tmp'));
  vi.stubEnv('TMPDIR', join(folder, 'tmp'));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

const prepare = (prefix: string, command = ['claude', '-p'], env: Record<string, string> = {}) => {
  const tokens = prefix.split(' ');
  return prepareContainer({
    argv: [...tokens, ...command],
    prefixLength: tokens.length,
    roundId: 'round-1',
    owner: 'owner-1',
    workDir: join(folder, 'work'),
    logDir: join(folder, 'log'),
    env: { AGENT_RUNNER_LOG_DIR: '/log', AGENT_RUNNER_ROUND_ID: 'round-1', PATH: '/bin', ...env },
    hostEnv: { XDG_STATE_HOME: join(folder, 'state'), USER: 'me' },
  });
};

describe('prepareContainer', () => {
  it('puts our options right after `run` and leaves every other token where it was', () => {
    const prepared = prepare('sudo -E docker --context x run --rm -i img', ['claude', '-p', '--cidfile']);
    const { cidfile, controlDir } = prepared?.container ?? {};
    expect(prepared?.argv).toEqual([
      ...'sudo -E docker --context x run'.split(' '),
      ...['--cidfile', cidfile, '--label', 'agent-runner.round=round-1', '--label', 'agent-runner.owner=owner-1'],
      ...['-e', 'AGENT_RUNNER_LOG_DIR', '-e', 'AGENT_RUNNER_ROUND_ID', '-v', `${controlDir}:/run/agent-runner`],
      ...'--rm -i img claude -p --cidfile'.split(' '),
    ]);
    expect(prepared?.env).toEqual({ AGENT_RUNNER_LOG_DIR: '/run/agent-runner' });
    expect(prepared?.container).toMatchObject({
      runtime: 'docker',
      control: ['sudo', '-E', 'docker', '--context', 'x'],
      removesItself: true,
      memoryLimited: false,
    });
    expect(cidfile?.startsWith(join(folder, 'state'))).toBe(true);
    expect(existsSync(cidfile ?? '')).toBe(false);
    expect(statSync(controlDir ?? '').mode & 0o777).toBe(0o777);
  });

  it.each(['claude', 'nice -n 5', 'docker exec -i box', 'docker ps', 'dockerized-thing'])(
    'reference case 5: %s is left alone',
    (prefix) => {
      expect(prepare(prefix)).toBeNull();
      expect(existsSync(join(folder, 'state'))).toBe(false);
    },
  );

  it("reference case 3 and scar 16: an operator's --cidfile is never doubled", () => {
    const own = prepare('docker run --rm --cidfile own.cid img');
    expect(own?.container).toMatchObject({ cidfile: join(folder, 'work', 'own.cid'), cidfileIsOperators: true });
    expect(own?.argv.filter((token) => token === '--cidfile')).toHaveLength(1);
    // Where the walk over the options ended too early (a new switch took a word for the image): still no second one.
    const hidden = prepare('docker run --rm stray --cidfile own.cid img');
    expect(hidden?.container).toMatchObject({ cidfile: null, cidfileIsOperators: true });
    expect(hidden?.argv.filter((token) => token === '--cidfile')).toHaveLength(1);
  });

  it('spells our names out where a wrapper empties the environment', () => {
    expect(prepare('sudo docker run img')?.argv).toContain('AGENT_RUNNER_ROUND_ID=round-1');
    expect(prepare('env -i A=1 docker run img')?.argv).toContain('AGENT_RUNNER_LOG_DIR=/run/agent-runner');
    expect(prepare('sudo -E docker run img')?.argv).toContain('AGENT_RUNNER_ROUND_ID');
  });

  it('asks for an SELinux label only where the operator does', () => {
    const bind = (prefix: string) => prepare(prefix)?.argv.find((token) => token.includes(':/run/agent-runner'));
    expect(bind('docker run -v /a:/b:Z img')).toMatch(/:\/run\/agent-runner:Z$/);
    expect(bind('docker run -v /a:/b img')).toMatch(/:\/run\/agent-runner$/);
  });

  it.each([
    ['another user', 'sudo -u bob docker run img', {}, { cidfile: null, controlDir: null, folder: null }],
    ['an engine elsewhere', 'docker -H ssh://box run img', {}, { controlDir: null }],
    ['an engine elsewhere, by the environment', 'docker run img', { DOCKER_HOST: 'tcp://10.0.0.5:2376' }, { controlDir: null }],
    ['a mount of the operator at our place', 'docker run -v /a:/run/agent-runner/ img', {}, { controlDir: null }],
  ])('%s: labels, and no mount of ours', (_, prefix, env, expected) => {
    const prepared = prepare(prefix, ['claude'], env as Record<string, string>);
    expect(prepared?.container).toMatchObject(expected);
    expect(prepared?.argv).toContain('agent-runner.round=round-1');
    expect(prepared?.env).toEqual({});
    expect(prepared?.argv).not.toContain('AGENT_RUNNER_LOG_DIR');
  });
});

describe('makeRoundFolder', () => {
  const avoid = () => [join(folder, 'work')];
  it('is private, and new each time', () => {
    const first = makeRoundFolder('o', 'r', avoid(), { XDG_STATE_HOME: join(folder, 'state') });
    writeFileSync(first.cidfile, 'stale');
    const again = makeRoundFolder('o', 'r', avoid(), { XDG_STATE_HOME: join(folder, 'state') });
    expect(again).toEqual(first);
    expect(existsSync(again.cidfile)).toBe(false);
    expect(statSync(join(folder, 'state', 'agent-runner')).mode & 0o777).toBe(0o700);
  });

  it('reference case 4: never lies where the container reaches; falls back, or says so', () => {
    const other = makeRoundFolder('o', 'r', [join(folder, 'state')], { XDG_STATE_HOME: join(folder, 'state') });
    expect(other.path.startsWith(join(folder, 'tmp'))).toBe(true);
    expect(() => makeRoundFolder('o', 'r', ['/'], { XDG_STATE_HOME: join(folder, 'state') })).toThrow(
      expect.objectContaining({ code: 'AR-CON-020', exitCode: 76 }),
    );
  });

  it('trusts no link in its place', () => {
    mkdirSync(join(folder, 'state'));
    mkdirSync(join(folder, 'elsewhere'));
    symlinkSync(join(folder, 'elsewhere'), join(folder, 'state', 'agent-runner'));
    const made = makeRoundFolder('o', 'r', avoid(), { XDG_STATE_HOME: join(folder, 'state') });
    expect(readdirSync(join(folder, 'elsewhere'))).toEqual([]);
    expect(made.path.startsWith(join(folder, 'tmp'))).toBe(true);
  });

  it('refuses names that would leave it', () => {
    for (const name of ['..', 'a/b', '', '.x']) expect(() => makeRoundFolder('o', name, [], { XDG_STATE_HOME: folder })).toThrow(TypeError);
  });

  it("removes what an owner's dead rounds left, and no other owner's", () => {
    const env = { XDG_STATE_HOME: join(folder, 'state') };
    for (const [owner, round] of [
      ['o', 'a'],
      ['o', 'b'],
      ['p', 'a'],
    ] as const)
      makeRoundFolder(owner, round, [], env);
    makeRoundFolder('o', 'c', [join(folder, 'state')], env);
    removeRoundFolders('o', ['b'], env);
    expect(readdirSync(join(folder, 'tmp', `agent-runner-${process.getuid?.()}`, 'o'))).toEqual([]);
    expect(readdirSync(join(folder, 'state', 'agent-runner', 'o'))).toEqual(['b']);
    expect(readdirSync(join(folder, 'state', 'agent-runner', 'p'))).toEqual(['a']);
  });
});

describe('inject', () => {
  it('leaves out what it is not given', () => {
    const argv = injectOptions(['docker', 'run', 'img'], 1, {
      roundId: 'r',
      owner: 'o',
      cidfile: null,
      controlDir: null,
      relabel: true,
      env: [],
    });
    expect(argv).toEqual(['docker', 'run', '--label', 'agent-runner.round=r', '--label', 'agent-runner.owner=o', 'img']);
  });
});
