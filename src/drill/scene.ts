import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config/schema.ts';
import { tailEvents } from '../events/reader.ts';
import { runCommand } from '../process/command.ts';
import { layout } from '../state/layout.ts';
import type { Clock } from '../util/clock.ts';
import type { DrillEvent, Finished, RoundOptions, Scene } from './guard.ts';
import { git, HEARTBEAT, type Scratch } from './scratch.ts';
import { writeScratchConfig } from './scratch-config.ts';

export interface Stage {
  scratch: Scratch;
  config: Config;
  /** Node and the script that this program runs from. */
  program: readonly [string, ...string[]];
  env: NodeJS.ProcessEnv;
  clock: Clock;
  /** Aborting ends what runs now. */
  stop: AbortSignal;
}

/** Beyond a round's own wall: its grace, the ladder, an engine, git. Then the whole command is ended. */
const BEYOND_THE_WALL_MS = 90_000;
/** Several beats of the helper. */
const BEATS_MS = 600;
const NEWEST_EVENTS = 200;

/** A scene of its own for one guard: the tree as it was cloned, an empty log_dir. */
export async function openScene(stage: Stage, name: string): Promise<Scene & { end(): Promise<void> }> {
  const { scratch, env, clock, stop } = stage;
  const { workDir } = scratch;
  const folder = join(scratch.folder, name.replaceAll(/\W+/g, '-'));
  const logDir = join(folder, 'logs');
  mkdirSync(logDir, { recursive: true });
  for (const args of [
    ['reset', '--hard', '--quiet'],
    ['clean', '-fdxq'],
    ['stash', 'clear'],
  ])
    await git(workDir, env, ...args);
  rmSync(join(workDir, HEARTBEAT), { force: true });

  const run = async (verb: readonly string[], options: RoundOptions): Promise<Finished> => {
    const config = writeScratchConfig({ folder, workDir, logDir, config: stage.config }, options);
    const since = clock.monotonic();
    const timeoutMs = options.wallS * 1000 + BEYOND_THE_WALL_MS;
    const result = await runCommand([...stage.program, ...verb, '--config', config], {
      cwd: folder,
      env: ownEnvironment(stage),
      timeoutMs,
      killAfterMs: 20_000,
      signal: stop,
    });
    return { ...result, durationMs: clock.monotonic() - since };
  };
  const logs = () => {
    const { rounds } = layout(logDir);
    try {
      const newest = readdirSync(rounds)
        .sort((a, b) => roundOf(a) - roundOf(b))
        .at(-1);
      return newest === undefined ? null : join(rounds, newest);
    } catch {
      return null;
    }
  };
  const events = (kind?: string): DrillEvent[] =>
    tailEvents(logDir, { limit: NEWEST_EVENTS, ...(kind === undefined ? {} : { kinds: [kind] }) });
  const heartbeat = (): string | null => {
    try {
      return readFileSync(join(workDir, HEARTBEAT), 'utf8');
    } catch {
      return null;
    }
  };

  return {
    workDir,
    logDir,
    clock,
    round: (options) => run(['round'], options),
    serve: (options, maxRounds) => run(['serve', '--max-rounds', String(maxRounds)], options),
    events,
    outcome: () => events('agent_exit').at(-1)?.outcome ?? null,
    logBytes: () => {
      const path = logs();
      return path === null ? 0 : statSync(path).size;
    },
    logTail() {
      const path = logs();
      const text = path === null ? String(events('smoke_check_failed').at(-1)?.reason ?? '') : readFileSync(path, 'utf8');
      const lines = text.split('\n').filter((line) => line.trim() !== '' && !/^Run '.*--help'/.test(line));
      return lines.slice(-3).join(' | ').slice(-400);
    },
    async git(...args) {
      return (await git(workDir, env, ...args)).stdout.trim();
    },
    heartbeat,
    async quiet() {
      const before = heartbeat();
      await clock.sleep(BEATS_MS);
      return heartbeat() === before;
    },
    /** Whatever the guard did not end. */
    async end() {
      await runCommand([...stage.program, 'kill', '--config', join(folder, 'agent-runner.toml')], {
        cwd: folder,
        env: ownEnvironment(stage),
        timeoutMs: 60_000,
      });
    },
  };
}

/** Not that of a round in which somebody may run this; what a container's round keeps on the host goes with the scratch folder. */
function ownEnvironment({ env, scratch }: Stage): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(([name]) => !name.startsWith('AGENT_RUNNER_'));
  return { ...Object.fromEntries(kept), XDG_STATE_HOME: join(scratch.folder, 'state') };
}

function roundOf(name: string): number {
  return Number(/^R(\d+)-/.exec(name)?.[1] ?? 0);
}
