import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { TestContext } from 'vitest';
import { CLI_NAMES, type CliName, isInstalled, pinned } from './clis/versions.ts';

interface Part {
  /** How to get it. */
  get: string;
  present(): boolean;
}

/** The distribution's own Python, which finds the distribution's own packages. */
export const SYSTEM_PYTHON = '/usr/bin/python3';

/** `cli claude` and so on: real agent CLIs. */
const CLI_PARTS = Object.fromEntries(
  CLI_NAMES.map((name): [string, Part] => [
    `cli ${name}`,
    { get: `npx tsx test/support/clis/install.ts${pinned(name).short ? ' short' : ''}`, present: () => isInstalled(name) },
  ]),
) as Record<`cli ${CliName}`, Part>;

/** Real parts of a machine that some tests need and not every machine has. */
const PARTS = {
  linux: { get: 'run on Linux: the test looks into /proc', present: () => process.platform === 'linux' },
  root: { get: 'run as root, or in a container', present: () => process.getuid?.() === 0 },
  python3: { get: 'apt-get install python3', present: () => onPath('python3') },
  psutil: {
    get: 'apt-get install python3-psutil',
    present: () => spawnSync(SYSTEM_PYTHON, ['-c', 'import psutil'], { stdio: 'ignore' }).status === 0,
  },
  curl: { get: 'apt-get install curl', present: () => onPath('curl') },
  setsid: { get: 'apt-get install util-linux', present: () => onPath('setsid') },
  setpriv: { get: 'apt-get install util-linux', present: () => onPath('setpriv') },
  nohup: { get: 'apt-get install coreutils', present: () => onPath('nohup') },
  unshare: { get: 'apt-get install util-linux', present: () => onPath('unshare') },
  cgroup2: {
    get: 'run as root on a machine with a cgroup v2 tree',
    present: () =>
      process.getuid?.() === 0 &&
      ['/sys/fs/cgroup', '/sys/fs/cgroup/unified'].some(
        (at) => existsSync(join(at, 'cgroup.procs')) && existsSync(join(at, 'cgroup.controllers')),
      ),
  },
  'systemd-analyze': { get: 'apt-get install systemd', present: () => onPath('systemd-analyze') },
  systemd: {
    get: 'eval "$(test/support/engine.sh start DIR)"; eval "$(test/support/systemd.sh)" as root on Debian',
    present: () => Boolean(process.env.AGENT_RUNNER_TEST_SYSTEMD && process.env.DOCKER_HOST),
  },
  vm: { get: 'eval "$(test/support/vm.sh)" as root on Debian', present: () => Boolean(process.env.AGENT_RUNNER_TEST_VM) },
  docker: {
    get: 'as root on Debian: eval "$(test/support/engine.sh start DIR)"',
    present: () => onPath('docker') && (process.env.DOCKER_HOST ?? '').startsWith('unix://'),
  },
  compose: { get: 'apt-get install docker-compose', present: () => onPath('docker-compose') },
  debootstrap: { get: 'apt-get install debootstrap', present: () => process.getuid?.() === 0 && onPath('debootstrap') },
  tini: { get: 'apt-get install tini', present: () => onPath('tini') },
  ip: { get: 'apt-get install iproute2', present: () => onPath('ip') },
  ...CLI_PARTS,
  tmpfs: { get: 'run as root where mount(2) is allowed', present: () => process.getuid?.() === 0 && onPath('mount') && onPath('umount') },
} as const satisfies Record<string, Part>;

export type PartName = keyof typeof PARTS;

/**
 * First line of a test that needs a real part: `requirePart(context, 'tmpfs')`. Where it is missing the test is skipped and says how to
 * get it; with AGENT_RUNNER_TEST_REQUIRE=all it fails instead, so that a machine that should have everything proves it.
 */
export function requirePart(context: Pick<TestContext, 'skip'>, ...names: PartName[]): void {
  for (const name of names) {
    const part = PARTS[name];
    if (part.present()) continue;
    const text = `needs ${name}: ${part.get}`;
    if (process.env.AGENT_RUNNER_TEST_REQUIRE === 'all') throw new Error(text);
    context.skip(text);
  }
}

/** Whether a program of this name can be executed from PATH. */
export function onPath(program: string): boolean {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
