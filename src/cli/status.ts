import { type StatusReport, serviceStatus } from '../service/status.ts';
import { systemClock } from '../util/clock.ts';
import { humanDuration } from '../util/duration.ts';
import { print, printJson } from './output.ts';
import { findProject, serviceTarget } from './project.ts';
import type { GlobalOptions } from './verbs.ts';

export async function runStatus(options: GlobalOptions): Promise<number> {
  const status = await serviceStatus(serviceTarget(findProject(options)), systemClock.now());
  if (options.json) printJson(status);
  else print(linesOf(status).join('\n'));
  return 0;
}

function linesOf({ mode, active, pid, uptime_s, unit_file, unit_state, system_managed }: StatusReport): string[] {
  const up = uptime_s === null ? '' : `, up for ${humanDuration(uptime_s * 1000)}`;
  return [
    `mode:           ${mode}`,
    `active:         ${active ? (pid === null ? 'yes' : `yes (pid ${pid}${up})`) : 'no'}`,
    `unit file:      ${unit_file ?? 'none'}`,
    ...(unit_state === null ? [] : [`unit state:     ${unit_state}`]),
    `system managed: ${system_managed ? 'yes' : 'no'}`,
  ];
}
