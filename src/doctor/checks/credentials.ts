import { realpathSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { homeFolder } from '../../config/paths.ts';
import type { DoctorCheck, Finding } from '../check.ts';

/** Where agent CLIs and what they use keep secrets, below HOME. */
const FILES = [
  '.claude/.credentials.json',
  '.claude.json',
  '.codex/auth.json',
  '.gemini/oauth_creds.json',
  '.gemini/.env',
  '.qwen/oauth_creds.json',
  '.local/share/opencode/auth.json',
  '.pi/agent/auth.json',
  '.kimi/config.toml',
  '.aider.conf.yml',
  '.git-credentials',
  '.netrc',
  '.npmrc',
];

export const credentials: DoctorCheck = {
  name: 'credentials',
  what: 'known credential files below HOME: nobody else may read them, and none lies in work_dir',
  run({ project }) {
    const home = homeFolder();
    if (home === null) return [{ status: 'info', summary: 'there is no home folder to look into' }];
    const workDir = project?.loaded.config.runtime.work_dir ?? null;
    const found = FILES.map((name) => join(home, name)).filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile());
    const findings = found.flatMap((path): Finding[] => {
      const mode = statSync(path).mode & 0o777;
      const facts = { path, mode: mode.toString(8) };
      if (workDir !== null && isWithin(path, workDir))
        return [
          {
            status: 'warning',
            of: path,
            summary: `${path} lies in work_dir: it can be stashed or committed`,
            remedy: 'Put work_dir elsewhere.',
            facts,
          },
        ];
      if ((mode & 0o077) === 0) return [];
      return [
        {
          status: 'warning',
          of: path,
          summary: `${path} has mode ${facts.mode}: others may read it`,
          remedy: `chmod 600 '${path}'`,
          facts,
        },
      ];
    });
    if (findings.length > 0) return findings;
    const summary = found.length === 0 ? 'none of the known files is there' : found.map((path) => relative(home, path)).join(', ');
    return [{ status: 'ok', summary, facts: { files: found } }];
  },
};

function isWithin(path: string, folder: string): boolean {
  try {
    const inside = relative(realpathSync(folder), realpathSync(path));
    return inside !== '' && !inside.startsWith('../') && inside !== '..';
  } catch {
    return false;
  }
}
