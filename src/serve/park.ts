import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import type { ParkedState } from '../state/serve-state.ts';
import type { Clock } from '../util/clock.ts';
import { exitCode, isFinal } from '../util/exit-codes.ts';
import type { Logger } from './log.ts';
import type { StopSignals } from './signals.ts';

/**
 * `serve --park`, for images: a restart policy sees an exit code of 75 and restarts, over and over, what was stopped on purpose. A serve
 * that parks stays up instead, starts no round, and is unhealthy, until its container is restarted.
 */
export function mustPark(wanted: boolean, code: number): boolean {
  return wanted && isFinal(code);
}

/** Waits for a stop signal. The exit code is 0: whoever stops a parked serve gets what they asked for, and `on-failure` lets it be. */
export async function parked({ clock, log, signals, state }: ParkRequest): Promise<number> {
  log.error(`parked: serve stays up and starts no round; once the cause is mended: ${state.command}`);
  // Handlers of signals do not keep a process alive; a timer does.
  while (!signals.drain.aborted) await clock.sleep(LONGEST_SLEEP_MS, signals.drain);
  log.info({ signal: signals.asked() }, 'parked serve ends');
  return exitCode('ok');
}

export interface ParkRequest {
  clock: Clock;
  log: Logger;
  signals: StopSignals;
  state: ParkedState;
}

/** A day: nothing happens at its end but the next sleep. */
const LONGEST_SLEEP_MS = 24 * 3600 * 1000;

export interface Surroundings {
  env: NodeJS.ProcessEnv;
  hostname: string;
  exists(path: string): boolean;
}

const HERE: Surroundings = { env: process.env, hostname: hostname(), exists: existsSync };

/**
 * The one command that ends the park and starts anew, to be typed on the host: what AGENT_RUNNER_RESTART_COMMAND says (the compose files
 * set it), else a restart of the container that this is, else a stop and a start. Pure over `here`.
 */
export function restartCommand(configPath: string, here: Surroundings = HERE): string {
  const told = here.env.AGENT_RUNNER_RESTART_COMMAND?.trim();
  if (told && !/\p{Cc}/u.test(told)) return told;
  const engine = here.exists('/run/.containerenv') ? 'podman' : here.exists('/.dockerenv') ? 'docker' : null;
  // Unless it was given another name, a container's host name is the beginning of its id, which engines take for the id.
  if (engine !== null && /^[0-9a-f]{12}$/.test(here.hostname)) return `${engine} restart ${here.hostname}`;
  const config = /^[\w@%+=:,./-]+$/.test(configPath) ? configPath : `'${configPath.replaceAll("'", "'\\''")}'`;
  return `agent-runner stop --config ${config} && agent-runner serve --park --config ${config}`;
}
