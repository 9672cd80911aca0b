import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCommand } from '../../../src/process/command.ts';
import type { ServiceControl } from '../../../src/service/upgrade/control.ts';
import { findInstallation, readManifest } from '../../../src/service/upgrade/installation.ts';
import { chooseSource } from '../../../src/service/upgrade/source.ts';
import { type UpgradeReport, upgrade } from '../../../src/service/upgrade/upgrade.ts';
import { systemClock } from '../../../src/util/clock.ts';
import { testFolder } from '../../support/folder.ts';
import { type FakePackage, folderOf, npmEnvironment, startRegistry, tarballOf } from '../../support/registry.ts';

interface Behaviour {
  peek?: string;
  says?: string;
  /** What its `migrate --dry-run --json` prints; `rewrites`: what the real one does to the file. */
  manual?: object[];
  rewrites?: boolean;
}

/** A program of a few lines that answers as this one would. */
function fake(
  version: string,
  { peek = 'say({ schema_version: "1.11" })', says = version, manual = [], rewrites = false }: Behaviour = {},
): FakePackage {
  const main = `#!/usr/bin/env node
import { copyFileSync, writeFileSync } from 'node:fs';
const [verb, ...args] = process.argv.slice(2);
const say = (value) => console.log(JSON.stringify(value));
const config = args[args.indexOf('--config') + 1];
if (verb === '--version') console.log('agent-runner ${says}');
else if (verb === 'peek') { ${peek} }
else if (verb === 'migrate') {
  const real = ${rewrites} && !args.includes('--dry-run');
  if (real) { copyFileSync(config, config + '.bak'); writeFileSync(config, 'migrated by ${version}'); }
  say({ applied: [], manual: ${JSON.stringify(manual)}, backup: real ? config + '.bak' : null });
} else process.exit(2);
`;
  return { version, files: { 'dist/main.js': main, [`dist/chunk-${version}.js`]: '' } };
}

/** What `npm install agent-runner@1.0.0` leaves, without waiting for it. */
function putInPlace(prefix: string, global: boolean): void {
  const modules = join(prefix, ...(global ? ['lib'] : []), 'node_modules');
  cpSync(folderOf(fake('1.0.0')), join(modules, 'agent-runner'), { recursive: true });
  const bin = global ? join(prefix, 'bin') : join(modules, '.bin');
  mkdirSync(bin);
  symlinkSync(`${global ? '../lib/node_modules' : '..'}/agent-runner/dist/main.js`, join(bin, 'agent-runner'));
  const manifest = { name: 'mine', private: true, dependencies: { 'agent-runner': '1.0.0' } };
  if (!global) writeFileSync(join(prefix, 'package.json'), JSON.stringify(manifest));
}

/** Version 1.0.0 installed into a throwaway prefix from a registry of the test's own that has these too. */
async function installed(others: readonly FakePackage[], global = true) {
  const folder = testFolder();
  const prefix = join(folder, 'prefix');
  const registry = await startRegistry([fake('1.0.0'), ...others]);
  const env = npmEnvironment(join(folder, 'home'), registry.url);
  mkdirSync(env.HOME as string);
  mkdirSync(prefix);
  putInPlace(prefix, global);
  const installation = findInstallation(join(prefix, ...(global ? ['lib'] : []), 'node_modules', 'agent-runner'));
  const configPath = join(folder, 'agent-runner.toml');
  writeFileSync(configPath, 'as it was');
  const events: [string, object][] = [];
  return {
    folder,
    prefix,
    registry,
    installation,
    configPath,
    events,
    version: () => readManifest(installation.folder).version,
    says: async () => (await runCommand([join(prefix, global ? 'bin' : 'node_modules/.bin', 'agent-runner'), '--version'])).stdout.trim(),
    run: (target: string | null, service: ServiceControl | null = null): Promise<UpgradeReport> =>
      upgrade({
        source: chooseSource(target, 'agent-runner', folder),
        installation,
        service,
        configPath,
        env,
        clock: systemClock,
        emit: (kind, fields) => events.push([kind, fields]),
        note: () => {},
      }),
    /** What npm and we leave beside the package. */
    leftovers: () => readdirSync(global ? join(prefix, 'lib') : prefix).filter((name) => name.startsWith('.agent-runner')),
  };
}

/** A service that writes down what is done to it; it comes up as long as `comesUp` says so. */
function serviceOf(version: () => string, comesUp: (version: string) => boolean = () => true, active = true) {
  const log: string[] = [];
  let up = active;
  const control: ServiceControl = {
    restartCommand: 'systemctl --user restart x',
    isActive: async () => up,
    async stop() {
      up = false;
      log.push(`stop ${version()}`);
    },
    async start() {
      // One that fails is up for its manager, which starts it again.
      up = true;
      log.push(`start ${version()}`);
      if (!comesUp(version())) throw new Error(`${version()} does not come up`);
    },
  };
  return { control, log };
}

describe('upgrade, against a registry on loopback', () => {
  it('stops, installs, tries in a fresh process, starts; the newest version without a target', async () => {
    const it = await installed([fake('1.1.0'), fake('1.2.0', { rewrites: true })]);
    const { control, log } = serviceOf(it.version);
    expect(await it.run(null, control)).toMatchObject({
      result: 'upgraded',
      from_version: '1.0.0',
      to_version: '1.2.0',
      restarted: true,
      failure_reason: null,
      restart_command: null,
    });
    expect(log).toEqual(['stop 1.0.0', 'start 1.2.0']);
    expect(await it.says()).toBe('agent-runner 1.2.0');
    expect(readFileSync(it.configPath, 'utf8')).toBe('migrated by 1.2.0');
    expect(it.events).toMatchObject([['service_upgraded', { from_version: '1.0.0', to_version: '1.2.0', duration_s: expect.any(Number) }]]);
    expect(it.leftovers()).toEqual([]);
    expect(readdirSync(join(it.installation.folder, 'dist'))).not.toContain('chunk-1.0.0.js');
  });

  it('the version that is there already changes nothing', async () => {
    const it = await installed([]);
    const { control, log } = serviceOf(it.version);
    expect(await it.run('1.0.0', control)).toMatchObject({ result: 'up_to_date', to_version: '1.0.0' });
    expect({ log, events: it.events }).toEqual({ log: [], events: [] });
  });

  it('a service that was not running is not started', async () => {
    const it = await installed([fake('1.1.0')]);
    const { control, log } = serviceOf(it.version, () => true, false);
    expect(await it.run('1.1.0', control)).toMatchObject({
      result: 'upgraded',
      restarted: false,
      restart_command: 'systemctl --user restart x',
    });
    expect(log).toEqual([]);
  });

  it('the package alone, from a tarball and from a folder, also back to an older version', async () => {
    const it = await installed([]);
    expect(await it.run(tarballOf(fake('1.3.0')))).toMatchObject({ result: 'upgraded', to_version: '1.3.0', restarted: false });
    expect(await it.says()).toBe('agent-runner 1.3.0');
    expect(await it.run(folderOf(fake('0.9.0')))).toMatchObject({ result: 'upgraded', from_version: '1.3.0', to_version: '0.9.0' });
    expect(await it.says()).toBe('agent-runner 0.9.0');
    expect(it.events.map(([kind]) => kind)).toEqual(['package_upgraded', 'package_upgraded']);
  });

  it('in a project of its own, which then names that version', async () => {
    const it = await installed([fake('1.1.0')], false);
    expect(it.installation).toMatchObject({ global: false, prefix: it.prefix });
    expect(await it.run('1.1.0')).toMatchObject({ result: 'upgraded' });
    expect(await it.says()).toBe('agent-runner 1.1.0');
    expect(JSON.parse(readFileSync(join(it.prefix, 'package.json'), 'utf8'))).toMatchObject({
      name: 'mine',
      dependencies: { 'agent-runner': '1.1.0' },
    });
  });
});

describe('what does not come up is undone', () => {
  it.each([
    ['its peek fails', fake('1.1.0', { peek: 'console.error("broken"); process.exit(3)' }), 'peek --json ended with exit 3: broken'],
    ['its peek prints something else', fake('1.1.0', { peek: 'console.log("hello")' }), 'did not print what it should'],
  ])('when %s', async (_, next, reason) => {
    const it = await installed([next]);
    const { control, log } = serviceOf(it.version);
    expect(await it.run('1.1.0', control)).toMatchObject({
      result: 'rolled_back',
      restarted: true,
      failure_reason: expect.stringContaining(reason),
    });
    expect(log).toEqual(['stop 1.0.0', 'start 1.0.0']);
    expect(await it.says()).toBe('agent-runner 1.0.0');
    expect(it.events).toMatchObject([['service_upgrade_rolled_back', { attempted_version: '1.1.0', restored_version: '1.0.0' }]]);
    expect(it.leftovers()).toEqual([]);
    expect(readdirSync(join(it.installation.folder, 'dist')).sort()).toEqual(['chunk-1.0.0.js', 'main.js']);
    expect(readlinkSync(join(it.prefix, 'bin', 'agent-runner'))).toBe('../lib/node_modules/agent-runner/dist/main.js');
  });

  it('when the service does not start, the configuration is put back too', async () => {
    const it = await installed([fake('1.1.0', { rewrites: true })], false);
    const before = readFileSync(join(it.prefix, 'package.json'), 'utf8');
    const { control, log } = serviceOf(it.version, (version) => version !== '1.1.0');
    expect(await it.run('1.1.0', control)).toMatchObject({ result: 'rolled_back', failure_reason: '1.1.0 does not come up' });
    expect(log).toEqual(['stop 1.0.0', 'start 1.1.0', 'stop 1.1.0', 'start 1.0.0']);
    expect(readFileSync(it.configPath, 'utf8')).toBe('as it was');
    expect(readFileSync(join(it.prefix, 'package.json'), 'utf8')).toBe(before);
    expect(await it.says()).toBe('agent-runner 1.0.0');
  });

  it('and when going back fails too, that is said', async () => {
    const it = await installed([fake('1.1.0')]);
    const { control } = serviceOf(it.version, () => false);
    expect(await it.run('1.1.0', control)).toMatchObject({
      result: 'rollback_failed',
      failure_reason: '1.1.0 does not come up; then 1.0.0 does not come up',
    });
    expect(it.events).toMatchObject([['service_upgrade_rollback_failed', { attempted_version: '1.1.0', restore_target_version: '1.0.0' }]]);
  });
});

describe('refused before the service is touched', () => {
  it.each([
    ['a version that does not run', fake('1.1.0', { says: '1.0.9' }), '1.1.0', 'AR-UPG-006'],
    [
      'a version whose migrate needs a person',
      fake('1.1.0', { manual: [{ key: 'a.b', line: 3, message: 'both' }] }),
      '1.1.0',
      'AR-UPG-007',
    ],
    ['a version that nobody has', fake('1.1.0'), '7.7.7', 'AR-UPG-004'],
  ])('%s', async (_, next, target, code) => {
    const it = await installed([next]);
    const { control, log } = serviceOf(it.version);
    await expect(it.run(target, control)).rejects.toMatchObject({ code });
    expect({ log, events: it.events, version: it.version(), leftovers: it.leftovers() }).toEqual({
      log: [],
      events: [],
      version: '1.0.0',
      leftovers: [],
    });
  });

  it('another package, and a prefix that is not ours', async () => {
    const it = await installed([]);
    await expect(it.run(tarballOf({ ...fake('2.0.0'), name: 'something-else' }))).rejects.toMatchObject({ code: 'AR-UPG-005' });
    expect(() => findInstallation(folderOf(fake('1.0.0')))).toThrow(expect.objectContaining({ code: 'AR-UPG-003' }));
    if (process.getuid?.() === 0) return;
    chmodSync(join(it.prefix, 'lib'), 0o555);
    await expect(it.run('1.0.0')).rejects.toMatchObject({ code: 'AR-UPG-009' });
    chmodSync(join(it.prefix, 'lib'), 0o755);
  });

  it('an upgrade beside another one', async () => {
    const it = await installed([fake('1.1.0')]);
    const [first, second] = await Promise.allSettled([it.run('1.1.0'), it.run('1.1.0')]);
    expect([first, second].map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect([first, second].find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'AR-UPG-008' } });
    expect(existsSync(join(it.prefix, 'lib', '.agent-runner-upgrade.lock'))).toBe(false);
  });
});
