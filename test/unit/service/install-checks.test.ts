import { expect, test } from 'vitest';
import { needsPrivileges, servicePath } from '../../../src/service/install-checks.ts';
import { configOf, fileWith } from '../config/sample.ts';

const config = (changes: Record<string, string[]> = {}) => configOf(fileWith(changes));

test.each<[string, Record<string, string[]>, string | null]>([
  ['a plain agent', {}, null],
  ['docker is a client of a daemon', { agent: ['exec_prefix = ["docker", "run", "-i", "image"]'] }, null],
  ['podman without root needs newuidmap', { agent: ['exec_prefix = ["/usr/bin/podman", "run", "-i", "image"]'] }, 'podman'],
  ['sudo before docker', { agent: ['exec_prefix = ["sudo", "-n", "docker", "run", "-i", "image"]'] }, 'sudo'],
  ['a phase with sudo', { phases: ['list = ["a"]'], 'phases.a.agent': ['command = ["sudo", "-u", "bob", "claude"]'] }, 'sudo'],
])('what needs privileges: %s', (_name, changes, found) => {
  expect(needsPrivileges(config(changes))).toBe(found === null ? null : `the configuration uses ${found}`);
});

test("PATH of the service: that of the install without npm's own folders, then Node's and the user's", () => {
  const path = servicePath(
    '/usr/bin:/w/node_modules/.bin:relative::/home/u/.npm/_npx/1/node_modules/.bin:/usr/bin:/opt/bin',
    '/home/u',
    (folder) => folder.startsWith('/home/u/.local'),
  );
  expect(path).toBe('/usr/bin:/opt/bin:/home/u/.local/bin');
});
