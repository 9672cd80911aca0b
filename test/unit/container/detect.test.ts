import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ContainerRun, detectContainer, isRemoteAddress, mentionsEngine } from '../../../src/container/detect.ts';

const run = (text: string) => detectContainer(text.split(' ').filter((word) => word !== ''));

describe('detectContainer: reference case 1', () => {
  it.each([
    // argv, runtime, index of `run`, control
    ['docker run img', 'docker', 1, 'docker'],
    ['podman run img', 'podman', 1, 'podman'],
    ['nerdctl run img', 'nerdctl', 1, 'nerdctl'],
    ['/usr/bin/docker run img', 'docker', 1, '/usr/bin/docker'],
    ['docker -H x run img', 'docker', 3, 'docker -H x'],
    ['docker --context foo run img', 'docker', 3, 'docker --context foo'],
    ['docker --context=foo run img', 'docker', 2, 'docker --context=foo'],
    ['docker --log-level debug -D run img', 'docker', 4, 'docker --log-level debug -D'],
    [
      'docker --tlscacert a --tlscert b --tlskey c --config d run img',
      'docker',
      9,
      'docker --tlscacert a --tlscert b --tlskey c --config d',
    ],
    ['sudo docker run img', 'docker', 2, 'sudo docker'],
    ['sudo -u root docker run img', 'docker', 4, 'sudo -u root docker'],
    ['sudo -nu root docker run img', 'docker', 4, 'sudo -nu root docker'],
    ['sudo --user=root -n -- docker run img', 'docker', 5, 'sudo --user=root -n -- docker'],
    ['sudo -E docker run img', 'docker', 3, 'sudo -E docker'],
    ['sudo DOCKER_HOST=unix:///x docker run img', 'docker', 3, 'sudo DOCKER_HOST=unix:///x docker'],
    ['env X=1 docker run img', 'docker', 3, 'env X=1 docker'],
    ['env -i X=1 Y=2 docker run img', 'docker', 5, 'env -i X=1 Y=2 docker'],
    ['env -u A - B=1 docker run img', 'docker', 6, 'env -u A - B=1 docker'],
    ['/usr/bin/env docker run img', 'docker', 2, '/usr/bin/env docker'],
    ['sudo -u root env X=1 docker -H x run img', 'docker', 8, 'sudo -u root env X=1 docker -H x'],
    ['env X=1 sudo docker run img', 'docker', 4, 'env X=1 sudo docker'],
    ['timeout -k 5 3600 docker run img', 'docker', 5, 'timeout -k 5 3600 docker'],
    ['nice -n 10 ionice -c3 nohup docker run img', 'docker', 7, 'nice -n 10 ionice -c3 nohup docker'],
    ['runuser -u bob -- podman run img', 'podman', 5, 'runuser -u bob -- podman'],
    ['flatpak-spawn --host podman run img', 'podman', 3, 'flatpak-spawn --host podman'],
    ['docker container run img', 'docker', 2, 'docker'],
    ['docker --context x container run img', 'docker', 4, 'docker --context x'],
    ['podman --runtime runc run img', 'podman', 3, 'podman --runtime runc'],
    [
      'podman --root /a --runroot /b --cgroup-manager cgroupfs run img',
      'podman',
      7,
      'podman --root /a --runroot /b --cgroup-manager cgroupfs',
    ],
    ['nerdctl -n ns --address /x.sock run img', 'nerdctl', 5, 'nerdctl -n ns --address /x.sock'],
  ])('%s', (text, runtime, runIndex, control) => {
    expect(run(text)).toMatchObject({ kind: 'run', runtime, runIndex, control: control.split(' ') });
  });

  it.each([
    'docker build .',
    'docker ps',
    'docker',
    '',
    'claude',
    'dockerized-thing run',
    'sudo docker ps',
    'sudo',
    'env',
    'env X=1',
    'docker --context',
    'docker container ls',
    'claude docker run',
    'docker compose up',
  ])('%j is no container run', (text) => {
    expect(run(text)).toBeNull();
  });

  it.each([
    ['docker exec -i box', 'docker exec'],
    ['docker container exec box', 'docker container exec'],
    ['sudo podman exec box', 'podman exec'],
    ['docker compose exec box', 'docker compose exec'],
    ['docker compose -f x.yml --profile p run --rm box', 'docker compose run'],
    ['docker-compose -p x run box', 'docker-compose run'],
    ['podman-compose exec box', 'podman-compose exec'],
    ['nerdctl compose run box', 'nerdctl compose run'],
  ])('%s runs inside something that outlives its client', (text, form) => {
    expect(run(text)).toMatchObject({ kind: 'exec', form });
  });
});

describe('what the wrappers do to the client', () => {
  it.each([
    ['docker run i', null, false, []],
    ['sudo docker run i', 'root', true, []],
    ['sudo -u bob docker run i', 'bob', true, []],
    ['sudo -E docker run i', 'root', false, []],
    ['sudo --preserve-env=A,B C=1 docker run i', 'root', true, ['A', 'B', 'C']],
    ['env -i A=1 docker run i', null, true, ['A']],
    ['env - docker run i', null, true, []],
    ['sudo env A=1 docker run i', 'root', true, ['A']],
    ['runuser -u bob -- podman run i', 'bob', false, []],
  ])('%s', (text, runsAs, envScrubbed, envKept) => {
    expect(run(text)).toMatchObject({ runsAs, envScrubbed, envKept });
  });

  it.each([
    ['docker -H tcp://box:2375 run i', true],
    ['docker -Htcp://box:2375 run i', true],
    ['docker --host=ssh://me@box run i', true],
    ['docker -H unix:///x.sock run i', false],
    ['docker -H tcp://127.0.0.1:2375 run i', false],
    ['podman --remote run i', true],
    ['podman --url ssh://me@box/run/podman.sock run i', true],
    ['docker --context box run i', false],
  ])('%s: on another machine %s', (text, remote) => {
    expect((run(text) as ContainerRun).remote).toBe(remote);
  });

  it('reads an engine address', () => {
    expect(['ssh://a@b', 'tcp://10.0.0.1:2375', 'unix:///x', '', 'tcp://localhost:1', 'tcp://[::1]:1'].map(isRemoteAddress)).toEqual([
      true,
      true,
      false,
      false,
      false,
      false,
    ]);
  });
});

describe('mentionsEngine', () => {
  it.each([
    [['bash', '-c', 'docker run img'], true],
    [['ssh', 'box', 'docker', 'run'], true],
    [['systemd-run', '--scope', '/usr/bin/podman', 'run'], true],
    [['dockerized-thing'], false],
    [['/opt/docker-tools/x'], false],
  ])('%j', (argv, expected) => {
    expect(mentionsEngine(argv) !== null).toBe(expected);
  });
});

describe('for any wrapping', () => {
  const wrapping = fc.array(
    fc.constantFrom(['sudo'], ['sudo', '-u', 'root'], ['env', 'A=1'], ['nice', '-n', '5'], ['timeout', '60'], ['nohup']),
  );
  const globals = fc.array(fc.constantFrom(['--context', 'x'], ['-H', 'unix:///s'], ['-D'], ['--log-level=info']));
  it('control is the argv before `run`, and `run` is found', () => {
    fc.assert(
      fc.property(wrapping, fc.constantFrom('docker', 'podman', 'nerdctl'), globals, fc.boolean(), (outer, runtime, flags, longForm) => {
        const before = [...outer.flat(), runtime, ...flags.flat()];
        const found = detectContainer([...before, ...(longForm ? ['container'] : []), 'run', 'img', 'run']);
        expect(found).toMatchObject({ kind: 'run', runtime, control: before, runIndex: before.length + (longForm ? 1 : 0) });
      }),
    );
  });

  it('never throws, whatever the words', () => {
    const word = fc.constantFrom(
      'sudo',
      'env',
      'docker',
      'run',
      'container',
      '-u',
      '--',
      '-',
      '--x=y',
      'timeout',
      '-H',
      '',
      'compose',
      'constructor',
    );
    fc.assert(fc.property(fc.array(word, { maxLength: 12 }), (argv) => void detectContainer(argv)));
  });
});
