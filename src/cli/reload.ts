import { existsSync } from 'node:fs';
import { loadConfig } from '../config/load.ts';
import { reload } from '../service/wake.ts';
import { readNeedsHuman } from '../state/serve-state.ts';
import { note, printJson } from './output.ts';
import { findProjectToSteer } from './project.ts';
import type { GlobalOptions } from './verbs.ts';

export async function runReload(options: GlobalOptions): Promise<number> {
  const { paths } = findProjectToSteer('reload', options);
  const pid = await reload(paths);
  const suspect = readNeedsHuman(paths).entries.some(({ reason }) => reason === 'config');
  // A file that is wrong is told here too: who types this does not see the log of serve.
  if (!suspect && existsSync(options.config)) checkFile(options.config, pid);
  note(
    suspect
      ? `serve (pid ${pid}) has been told, but the file was changed while an agent was running: 'agent-runner ack config' adopts it`
      : `serve (pid ${pid}) has been told; it adopts the configuration before its next round, or says in its log why not`,
  );
  if (options.json) printJson({ pid });
  return 0;
}

function checkFile(path: string, pid: number): void {
  try {
    loadConfig(path);
  } catch (error) {
    note(`serve (pid ${pid}) keeps the configuration that it has:`);
    throw error;
  }
}
