import { resolve } from 'node:path';
import type { LoadedConfig } from '../config/load.ts';
import type { Profile } from '../config/profile.ts';
import { detectContainer } from '../container/detect.ts';
import type { WatchedFolder } from '../host/disk/space.ts';
import { agentCommand } from './agent-commands.ts';

/** Where rounds of this profile write on this machine. Agents in a container have temporary folders of their own. */
export function writtenFolders(loaded: LoadedConfig, profile: Profile, inherited: NodeJS.ProcessEnv): WatchedFolder[] {
  const { log_dir: logDir, work_dir: workDir } = loaded.config.runtime;
  const { argv, env } = agentCommand(loaded, { label: '', profile }, inherited);
  const ours = [
    { of: 'log_dir', folder: logDir },
    { of: 'work_dir', folder: workDir },
  ];
  if (detectContainer(argv) !== null) return ours;
  const own = (of: string, otherwise?: string) => {
    const value = env[of] || otherwise;
    return value ? [{ of, folder: resolve(workDir, value) }] : [];
  };
  // CLIs keep sessions and caches in HOME.
  return [...ours, ...own('TMPDIR', '/tmp'), ...own('HOME')];
}
