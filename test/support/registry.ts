import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

export interface FakePackage {
  name?: string;
  version: string;
  /** Files by path; `dist/main.js` is what `agent-runner` runs. */
  files: Record<string, string>;
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
export const VERSION: string = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).version;

/** The built program itself, as if it had another version; `change` may break one of its files. */
export function builtPackage(version: string, change: (path: string, text: string) => string = (_, text) => text): FakePackage {
  const paths = ['dist', 'systemd'].flatMap((folder) => readdirSync(join(ROOT, folder)).map((name) => `${folder}/${name}`));
  const files = paths
    .filter((path) => !path.endsWith('.map'))
    .map((path) => {
      const text = readFileSync(join(ROOT, path), 'utf8').replaceAll(`return "${VERSION}"`, () => `return "${version}"`);
      return [path, change(path, text)];
    });
  return { version, files: Object.fromEntries(files) };
}

/** A tarball as npm makes it, in a new temporary folder. */
export function tarballOf({ name = 'agent-runner', version, files }: FakePackage): string {
  const folder = folderOf({ name, version, files });
  const tarball = `${folder}.tgz`;
  execFileSync('tar', ['-czf', tarball, '-C', dirname(folder), 'package']);
  return tarball;
}

/** The same as a folder. */
export function folderOf({ name = 'agent-runner', version, files }: FakePackage): string {
  const scratch = mkdtempSync(join(tmpdir(), 'agent-runner-package-'));
  onTestFinished(() => rmSync(scratch, { recursive: true, force: true }));
  const folder = join(scratch, 'package');
  const manifest = { name, version, type: 'module', bin: { 'agent-runner': 'dist/main.js' } };
  for (const [path, text] of Object.entries({ 'package.json': JSON.stringify(manifest), ...files })) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text, { mode: 0o755 });
  }
  return folder;
}

export interface Registry {
  url: string;
  /** Paths that were asked for. */
  requests: string[];
}

/** An npm registry of the test's own, on loopback: packuments and tarballs, nothing else. The last package of a name is `latest`. */
export async function startRegistry(packages: readonly FakePackage[]): Promise<Registry> {
  const tarballs = new Map(packages.map((one) => [`/${one.name ?? 'agent-runner'}/-/${one.version}.tgz`, readFileSync(tarballOf(one))]));
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    requests.push(path);
    const tarball = tarballs.get(path);
    const named = packages.filter(({ name = 'agent-runner' }) => path === `/${name}`);
    if (tarball !== undefined) response.end(tarball);
    else if (named.length > 0) response.setHeader('content-type', 'application/json').end(JSON.stringify(packument(named)));
    else response.writeHead(404).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  );
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, requests };

  function packument(named: readonly FakePackage[]) {
    const [{ name = 'agent-runner' } = {}] = named;
    const versions = named.map(({ version }) => {
      const bytes = tarballs.get(`/${name}/-/${version}.tgz`) as Buffer;
      const dist = {
        tarball: `${url}/${name}/-/${version}.tgz`,
        shasum: createHash('sha1').update(bytes).digest('hex'),
        integrity: `sha512-${createHash('sha512').update(bytes).digest('base64')}`,
      };
      return [version, { name, version, bin: { 'agent-runner': 'dist/main.js' }, dist }];
    });
    return { name, 'dist-tags': { latest: named.at(-1)?.version }, versions: Object.fromEntries(versions) };
  }
}

/** An npm that knows this registry alone and keeps everything below `home`. */
export function npmEnvironment(home: string, registry: string): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !/^npm_|^AGENT_RUNNER_/i.test(name));
  return {
    ...Object.fromEntries(kept),
    HOME: home,
    npm_config_userconfig: join(home, '.npmrc'),
    npm_config_globalconfig: join(home, 'npmrc'),
    npm_config_cache: join(home, 'cache'),
    npm_config_registry: registry,
    npm_config_fetch_retries: '0',
  };
}
