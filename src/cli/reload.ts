import { reload } from '../service/wake.ts';
import { note, printJson } from './output.ts';
import { findProjectToSteer } from './project.ts';
import type { GlobalOptions } from './verbs.ts';

export async function runReload(options: GlobalOptions): Promise<number> {
  const { paths } = findProjectToSteer('reload', options);
  const pid = await reload(paths);
  note(`serve (pid ${pid}) has been told; it adopts the configuration before its next round, or says in its log why not`);
  if (options.json) printJson({ pid });
  return 0;
}
