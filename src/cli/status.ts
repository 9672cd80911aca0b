import type { ServiceStatus } from '../service/mode.ts';
import { serviceStatus } from '../service/status.ts';
import { systemClock } from '../util/clock.ts';
import { humanDuration } from '../util/duration.ts';
import { print, printJson } from './output.ts';
import { findProject } from './project.ts';
import type { GlobalOptions } from './verbs.ts';

export async function runStatus(options: GlobalOptions): Promise<number> {
  const { paths } = findProject(options);
  const status = await serviceStatus(paths, systemClock.now());
  if (options.json) printJson(status);
  else print(linesOf(status).join('\n'));
  return 0;
}

function linesOf({ mode, active, pid, uptime_s, unit_file, system_managed }: ServiceStatus): string[] {
  const up = uptime_s === null ? '' : `, up for ${humanDuration(uptime_s * 1000)}`;
  return [
    `mode:           ${mode}`,
    `active:         ${active ? `yes (pid ${pid}${up})` : 'no'}`,
    `unit file:      ${unit_file ?? 'none'}`,
    `system managed: ${system_managed ? 'yes' : 'no'}`,
  ];
}
