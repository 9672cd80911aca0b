import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { CLI, type StoredEvent } from './project.ts';
import { runInVm } from './vm.ts';

/** One project in the virtual machine, and what is done with it. */
export interface VmRound {
  /** Added to `[runtime]` and what follows it. */
  toml: string;
  /** Shell script of the agent. */
  agent: string;
  /** Arguments of the command line. */
  args: string[];
}

/** What it left: how the command line ended, and all that it wrote down. */
export interface VmResult {
  exit: number;
  output: string;
  events: StoredEvent[];
  /** `state/defenses.json`, when `serve` ran. */
  guards: { name: string; value: string; current_state: string }[];
  /** How often the kernel's OOM killer struck meanwhile, anywhere in the machine. */
  oomKills: number;
  /** Control groups below the unit's own. */
  left: string[];
}

/** What the command line calls, beside what busybox has. */
const TOOLS = ['git', 'flock', 'unshare', 'setpriv'];

/**
 * Boots the machine of test/support/vm.sh once, and runs the built command line for each of these, one after another: as an ordinary user,
 * in a control group that was handed to that user as `Delegate=yes` does it.
 */
export async function roundsInVm<Name extends string>(
  rounds: Record<Name, VmRound>,
  timeoutMs: number,
  { memoryMb = 1024, kernel = '' } = {},
): Promise<Record<Name, VmResult>> {
  const script = resolve(import.meta.dirname, '../scripts/vm-rounds.ts');
  return (await runInVm(script, { memoryMb, kernel, timeoutMs, addTo: (root) => furnish(root, rounds) })) as Record<Name, VmResult>;
}

function furnish(root: string, rounds: Record<string, VmRound>): void {
  cpSync(dirname(CLI), join(root, 'script/dist'), { recursive: true });
  cpSync(resolve(dirname(CLI), '../package.json'), join(root, 'script/package.json'));
  writeFileSync(join(root, 'script/rounds.json'), JSON.stringify(rounds));
  for (const tool of TOOLS) addProgram(root, tool);
  for (const folder of ['etc', 'usr/bin', 'usr/lib/git-core', 'usr/share/git-core/templates'])
    mkdirSync(join(root, folder), { recursive: true });
  symlinkSync('/bin/env', join(root, 'usr/bin/env'));
  symlinkSync('/bin/git', join(root, 'usr/lib/git-core/git'));
  writeFileSync(join(root, 'etc/passwd'), 'root:x:0:0::/root:/bin/sh\nagent:x:1000:1000::/tmp:/bin/sh\n');
}

function addProgram(root: string, name: string): void {
  const path = realpathSync(execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim());
  const libraries = execFileSync('ldd', [path], { encoding: 'utf8' }).match(/\/\S+/g) ?? [];
  for (const [from, to] of [[path, `/bin/${name}`], ...libraries.map((library) => [library, library])] as [string, string][]) {
    mkdirSync(join(root, dirname(to)), { recursive: true });
    cpSync(from, join(root, to), { dereference: true });
  }
}
