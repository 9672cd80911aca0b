import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readBounded } from '../../../src/container/bounded-read.ts';
import { cpuFiles } from '../../../src/container/cgroup-cpu.ts';
import { readAgentDone, readCidfile } from '../../../src/container/control-dir.ts';
import { saysMissing, stateIn } from '../../../src/container/engine.ts';
import { readGitFile } from '../../../src/container/facts.ts';
import { realPath } from '../../../src/container/real-path.ts';

const ID = 'a0'.repeat(32);

let folder: string;
beforeEach(() => {
  folder = realPath(mkdtempSync(join(tmpdir(), 'agent-runner-test-')));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));
const at = (name: string) => join(folder, name);

describe('what somebody may have planted', () => {
  it('reads a plain file, to the byte', () => {
    writeFileSync(at('f'), '12345');
    expect(readBounded(at('f'), 5)).toEqual({ kind: 'ok', text: '12345' });
    expect(readBounded(at('f'), 4)).toMatchObject({ kind: 'refused' });
    expect(readBounded(at('missing'), 5)).toEqual({ kind: 'missing' });
    expect(readBounded(at('f/below'), 5)).toEqual({ kind: 'missing' });
  });

  it('refuses links, folders, devices and FIFOs, and does not wait for them', () => {
    symlinkSync('/etc/passwd', at('link'));
    symlinkSync(at('nowhere'), at('dangling'));
    mkdirSync(at('folder'));
    execFileSync('mkfifo', [at('fifo')]);
    for (const name of ['link', 'dangling', 'folder', 'fifo']) expect(readBounded(at(name), 100), name).toMatchObject({ kind: 'refused' });
    expect(readBounded('/dev/zero', 100)).toMatchObject({ kind: 'refused' });
  });

  it('scar 17 and reference case 4: an id is 64 hexadecimal digits, nothing else', () => {
    const read = (text: string) => {
      writeFileSync(at('cid'), text);
      return readCidfile(at('cid'));
    };
    expect(read(ID)).toEqual({ id: ID });
    expect(read(`${ID}\n`)).toEqual({ id: ID });
    expect(read('')).toEqual({ id: null, reason: 'empty' });
    for (const text of ['--all', ID.slice(1), `${ID}0`, ID.toUpperCase(), `${ID} ${ID}`, `${ID}\n--all`, 'a'.repeat(5 * 1024 * 1024)]) {
      expect(read(text), text.slice(0, 70)).toEqual({ id: null, reason: 'forged' });
    }
    expect(readCidfile(at('missing'))).toEqual({ id: null, reason: 'missing' });
    fc.assert(fc.property(fc.string({ maxLength: 70 }), (text) => /^\s*[0-9a-f]{64}\s*$/.test(text) || read(text).id === null));
  });

  it('.agent-done is data, cut at 200 characters', () => {
    expect(readAgentDone(folder)).toEqual({ done: false });
    writeFileSync(at('.agent-done'), `\n${'x'.repeat(300)}`);
    expect(readAgentDone(folder)).toEqual({ done: true, reason: 'x'.repeat(200) });
    writeFileSync(at('.agent-done'), '');
    expect(readAgentDone(folder)).toEqual({ done: true, reason: '' });
  });
});

describe('readGitFile', () => {
  it('follows a linked worktree and a submodule, as git made them', () => {
    const git = (...args: string[]) =>
      execFileSync('git', ['-C', folder, '-c', 'user.name=t', '-c', 'user.email=t@t', ...args], { stdio: 'ignore' });
    git('init', '-q', 'repo');
    git('-C', 'repo', 'commit', '-q', '--allow-empty', '-m', 'x');
    git('-C', 'repo', 'worktree', 'add', '-q', '../linked');
    expect(readGitFile(at('repo'))).toBeNull();
    expect(readGitFile(folder)).toBeNull();
    expect(readGitFile(at('linked'))).toEqual({
      written: at('repo/.git/worktrees/linked'),
      gitDir: at('repo/.git/worktrees/linked'),
      commonDir: at('repo/.git'),
    });
    mkdirSync(at('sub'));
    writeFileSync(at('sub/.git'), 'gitdir: ../repo/.git\n');
    expect(readGitFile(at('sub'))).toEqual({ written: '../repo/.git', gitDir: at('repo/.git'), commonDir: at('repo/.git') });
    writeFileSync(at('sub/.git'), 'nonsense');
    expect(readGitFile(at('sub'))).toBeNull();
  });
});

describe('what engines say', () => {
  it.each([
    'Error response from daemon: No such container: 0123',
    'Error: No such object: 0123',
    'Error: no container with name or ID "x" found: no such container',
    'Error: inspecting object: no such container x',
    'Error: No such image: x',
    'Error: x: image not known',
  ])('scar 15: %s', (text) => {
    expect(saysMissing(text)).toBe(true);
  });
  it('other failures are not "missing"', () => {
    expect(saysMissing('Cannot connect to the Docker daemon at unix:///x. Is the docker daemon running?')).toBe(false);
  });

  it('reads a state, and nothing from nonsense', () => {
    const labels = { 'agent-runner.round': 'r', 'agent-runner.owner': 'o' };
    const text = JSON.stringify([{ Id: ID, State: { Status: 'Running', Pid: 7 }, Config: { Labels: labels } }]);
    expect(stateIn(text)).toEqual({ id: ID, status: 'running', roundId: 'r', owner: 'o', pid: 7 });
    expect(stateIn(JSON.stringify([{ Id: ID, State: { Status: 'exited' }, Config: { Labels: null } }]))).toMatchObject({
      roundId: '',
      pid: 0,
    });
    for (const nonsense of ['', '[]', '{}', 'null', '[null]', '[{"Id":1}]', 'x']) expect(stateIn(nonsense)).toBeNull();
  });

  it('finds the CPU files of cgroup v1 and v2, of the container and not of a child in it', () => {
    const paths = (text: string) => cpuFiles(text, ID).map(({ path }) => path);
    expect(paths(`0::/system.slice/docker-${ID}.scope`)).toEqual([`/sys/fs/cgroup/system.slice/docker-${ID}.scope/cpu.stat`]);
    expect(paths(`0::/machine/libpod-${ID}/init/x`)).toEqual([`/sys/fs/cgroup/machine/libpod-${ID}/cpu.stat`]);
    expect(paths(`4:cpu,cpuacct:/docker/${ID}\n3:memory:/docker/${ID}\n0::/`)).toEqual([
      `/sys/fs/cgroup/cpu,cpuacct/docker/${ID}/cpuacct.usage`,
    ]);
    expect(paths('0::/user.slice')).toEqual([]);
    const read = cpuFiles(`0::/${ID}`, ID)[0]?.read;
    expect(read?.('usage_usec 1500000\nuser_usec 1\n')).toBe(1500);
    expect(read?.('nonsense')).toBeNaN();
  });
});
