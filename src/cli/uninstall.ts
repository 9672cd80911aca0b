import { uninstallService } from '../service/uninstall.ts';
import { systemClock } from '../util/clock.ts';
import { note, print, printJson } from './output.ts';
import { findProjectToSteer, serviceTarget } from './project.ts';
import type { GlobalOptions } from './verbs.ts';

export async function runUninstall(options: GlobalOptions): Promise<number> {
  const target = serviceTarget(findProjectToSteer('uninstall', options));
  const report = await uninstallService(target, systemClock, () => note('stopping service...'));
  if (options.json) printJson(report);
  else print(`removed ${report.unit_file}; configuration, logs and state are where they were`);
  return 0;
}
