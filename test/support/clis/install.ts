/**
 * Installs real agent CLIs for tests, each in a folder of its own outside the project (~/.cache/agent-runner-test/clis/NAME-VERSION), made
 * whole or not at all and used again by every later run. Only npm is asked, and no script of a package runs.
 *
 *   npx tsx test/support/clis/install.ts           all of them
 *   npx tsx test/support/clis/install.ts short     those that `npm test` uses
 *
 * Prints seconds and megabytes of each that it installed. AGENT_RUNNER_TEST_CLI_CACHE names another folder.
 */
import { mkdirSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { runCommand } from '../../../src/process/command.ts';
import { systemClock } from '../../../src/util/clock.ts';
import { CLI_NAMES, type CliName, commandOf, folderOf, isInstalled, pinned, TARGET } from './versions.ts';

const MINUTES = 60_000;
const FLAGS = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', '--save-exact'];

async function install(name: CliName): Promise<void> {
  const { package: from, version, program, node } = pinned(name);
  const folder = folderOf(name);
  const making = `${folder}.${process.pid}`;
  const link = join(making, 'bin', commandOf(name));
  mkdirSync(dirname(link), { recursive: true });
  writeFileSync(join(making, 'package.json'), '{"private":true}\n');
  const { code, stderr } = await runCommand(
    ['npm', 'install', ...FLAGS, `${from}@${version}`, ...(node ? [`node-${TARGET}@${node}`] : [])],
    {
      cwd: making,
      timeoutMs: 10 * MINUTES,
    },
  );
  try {
    if (code !== 0) throw new Error(`npm install ${from}@${version}: ${stderr}`);
    const target = `../node_modules/${program ?? `.bin/${commandOf(name)}`}`;
    if (node)
      writeFileSync(
        link,
        `#!/bin/sh\nhere=$(dirname "$0")\nexec "$here/../node_modules/node-${TARGET}/bin/node" "$here/${target}" "$@"\n`,
        { mode: 0o755 },
      );
    else symlinkSync(target, link);
    // Throws for a link to nothing: a platform that the package has no program for.
    statSync(link);
    renameSync(making, folder);
  } catch (error) {
    // Another run was faster.
    if (!isInstalled(name)) throw error;
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
}

const short = process.argv[2] === 'short';
for (const name of CLI_NAMES.filter((name) => !short || pinned(name).short)) {
  if (isInstalled(name)) continue;
  const since = systemClock.monotonic();
  await install(name);
  const size = (await runCommand(['du', '-sm', folderOf(name)])).stdout.split('\t', 1)[0];
  console.log(`${name} ${pinned(name).version}: ${((systemClock.monotonic() - since) / 1000).toFixed(1)} s, ${size} MB`);
}
