import { loadConfig } from '../config/load.ts';
import { refuseInsideRound } from '../service/inside-round.ts';
import { type InstallReport, installService } from '../service/install.ts';
import { systemClock } from '../util/clock.ts';
import { note, print, printJson } from './output.ts';
import type { GlobalOptions } from './verbs.ts';

interface InstallOptions extends GlobalOptions {
  system: boolean;
  force: boolean;
}

export async function runInstall({ config, json, system, force }: InstallOptions): Promise<number> {
  const loaded = loadConfig(config);
  refuseInsideRound('install', loaded.config.runtime.log_dir);
  const warn = (words: string) => note(`warning: ${words}`);
  const report = await installService(loaded, { kind: system ? 'system' : 'user', force, clock: systemClock, warn });
  if (json) printJson(report);
  else for (const line of linesOf(report)) print(line);
  return 0;
}

function linesOf({ unit, unit_file, result, stop_budget_s, env_file }: InstallReport): string[] {
  const state = {
    started: 'enabled and started',
    starting: 'enabled; it is starting',
    queued: 'enabled; it starts when the one before has finished its round',
    running: "enabled; it runs on, and 'agent-runner restart' makes it take the new unit",
  };
  return [
    `wrote ${unit_file}`,
    `${unit} is ${result === null ? "enabled; 'sudo agent-runner start' starts it now" : state[result]}`,
    `a graceful stop may take ${stop_budget_s} s: the longest round and its end`,
    `secrets: NAME=value lines in ${env_file}, mode 0600`,
  ];
}
