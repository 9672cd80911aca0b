import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute } from 'node:path';
import { isStripped } from '../../util/inherited.ts';
import type { DoctorCheck } from '../check.ts';

export const path: DoctorCheck = {
  name: 'path',
  what: 'PATH is set, and has no entry that means the current folder',
  run({ env }) {
    if (!env.PATH) return [{ status: 'failed', summary: 'PATH is not set', remedy: 'Set PATH for the user or the service.' }];
    const entries = env.PATH.split(delimiter);
    const facts = { path: env.PATH };
    if (entries.every(isAbsolute)) return [{ status: 'ok', summary: env.PATH, facts }];
    return [
      {
        status: 'warning',
        summary: 'PATH has an empty or relative entry: programs of work_dir, where the agent writes, would be found by name',
        remedy: 'Leave only absolute folders in PATH.',
        facts,
      },
    ];
  },
};

export const home: DoctorCheck = {
  name: 'home',
  what: 'HOME is an absolute folder of this user’s: agent CLIs keep their login there',
  run({ env }) {
    const folder = env.HOME;
    const remedy = 'Set HOME to the folder in which the agent CLI is logged in.';
    if (folder === undefined || !isAbsolute(folder)) return [{ status: 'warning', summary: 'HOME is not set to an absolute path', remedy }];
    const facts = { home: folder };
    const problem = folderProblem(folder);
    if (problem !== null) return [{ status: 'warning', summary: `HOME ${folder} ${problem}`, remedy, facts }];
    const owner = statSync(folder).uid;
    if (process.getuid !== undefined && owner !== process.getuid())
      return [{ status: 'warning', summary: `HOME ${folder} belongs to another user (uid ${owner})`, remedy, facts }];
    return [{ status: 'ok', summary: folder, facts }];
  },
};

export const user: DoctorCheck = {
  name: 'user',
  what: 'who runs this; root is a warning',
  run({ platform }) {
    const uid = process.getuid?.() ?? null;
    const facts = { uid, gid: process.getgid?.() ?? null, platform };
    if (uid !== 0) return [{ status: 'ok', summary: `uid ${uid}`, facts }];
    return [
      {
        status: 'warning',
        summary: 'this is root: an agent could change everything on this machine, and some CLIs (claude) refuse to run',
        remedy: 'Run agent-runner as a user of its own, without sudo.',
        facts,
      },
    ];
  },
};

export const inherited: DoctorCheck = {
  name: 'inherited',
  what: 'variables of this environment that agents will not get',
  run({ env }) {
    const names = Object.keys(env)
      .filter((name) => env[name] !== undefined && isStripped(name))
      .sort();
    // Under `npm exec` there are dozens of these.
    const npm = names.filter((name) => name.startsWith('npm_'));
    const words = [...names.filter((name) => !npm.includes(name)), ...(npm.length > 0 ? [`npm_* (${npm.length})`] : [])];
    return [{ status: 'info', summary: words.length === 0 ? 'nothing' : words.join(', '), facts: { names } }];
  },
};

/** Why the folder cannot be written into, as the end of a sentence, or null. */
export function folderProblem(folder: string): string | null {
  try {
    if (!statSync(folder).isDirectory()) return 'is not a folder';
    accessSync(folder, constants.W_OK | constants.X_OK);
    return null;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    return code === 'ENOENT' ? 'does not exist' : `is not writable (${code})`;
  }
}
