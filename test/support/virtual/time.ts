import type { ChildProcess } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { systemClock } from '../../../src/util/clock.ts';
import type { Project, Result } from '../project.ts';

const PRELOAD = fileURLToPath(new URL('preload.mjs', import.meta.url));

/** A `serve` whose clocks the test pushes. */
export interface VirtualServe {
  pid: number;
  ended: Promise<Result>;
  /** Passes time between rounds, sleep by sleep, until the wall clock reads `until` (epoch ms). */
  wait(until: number, stride?: number): Promise<Passed>;
  /** Passes time of the round that is on while its agent does nothing. */
  work(until: number, stride?: number): Promise<Passed>;
  /** Waits in real time until the round that is on has ended; throws when it does not. */
  over(): Promise<void>;
  /** The clocks jump, each by its own length: a set clock moves the wall alone, a suspended machine leaves the monotonic one behind or takes it along. */
  step(wallMs: number, monotonicMs: number): Promise<void>;
  /** Gives it `ms` of real time to notice what was done to its files, and waits until it sleeps again or a round is on. */
  settle(ms?: number): Promise<void>;
  /** kill -9 */
  kill(): Promise<void>;
  signal(name: NodeJS.Signals): void;
}

/** `time`: `until` was reached. `round`: a round began (of `wait`) or ended (of `work`) first. `exit`: serve ended. */
export type Passed = 'time' | 'round' | 'exit';

export interface VirtualTime {
  /** Epoch ms by the virtual wall clock. */
  now(): number;
  /** Every process that reads this file of the host sees `text` instead; null: the real one again. */
  host(path: string, text: string | null): Promise<void>;
  /** Passes time while no serve runs. */
  passAlone(until: number): 'time';
  /** `at`: the wall clock that this process sees stands still there. */
  run(args: readonly string[], at?: number): Promise<Result>;
  serve(args?: readonly string[]): VirtualServe;
}

/** Settings that every process of the test shares by a file. */
interface Shared {
  wall: number;
  mono: number;
  files: Record<string, string>;
  inFlight: string;
}

/** Virtual time for the processes of `at`, from `start` (epoch ms) on; they and this test live in `zone`. */
export function virtualTime(at: Project, start: number, zone: string): VirtualTime {
  const path = join(at.folder, 'clock.json');
  const shared: Shared = { wall: start - systemClock.now(), mono: 0, files: {}, inFlight: join(at.logDir, 'round-in-flight.json') };
  const save = () => writeFileSync(path, JSON.stringify(shared));
  save();
  const options = { env: { VIRTUAL_CLOCK: path, TZ: zone }, nodeArgs: ['--import', PRELOAD] };
  const running = new Set<Line>();

  return {
    now: () => systemClock.now() + shared.wall,
    async host(file, text) {
      if (text === null) delete shared.files[file];
      else shared.files[file] = text;
      save();
      for (const line of running) await line.say('files', { files: shared.files });
    },
    passAlone(until) {
      shared.wall += Math.max(0, until - systemClock.now() - shared.wall);
      save();
      return 'time';
    },
    run: (args, now) => at.run(args, now === undefined ? options : { ...options, env: { ...options.env, VIRTUAL_NOW: String(now) } }),
    serve(args = []) {
      const one = at.start(['serve', ...args], { ...options, stdio: 'channel' });
      const line = openLine(one.child, (wall) => {
        shared.wall = wall;
        save();
      });
      running.add(line);
      void one.ended.then(() => running.delete(line));
      const pass = async (command: string, until: number, stride: number): Promise<Passed> => {
        const value = await line.say(command, { until, stride });
        return value === null ? 'exit' : value ? 'time' : 'round';
      };
      return {
        pid: one.child.pid as number,
        ended: one.ended,
        wait: (until, stride = 0) => pass('wait', until, stride),
        work: (until, stride = 0) => pass('work', until, stride),
        async over() {
          const isOver = await line.say('over', { ms: 30_000 });
          if (isOver === null) throw new Error(`serve ended: ${(await one.ended).stderr.slice(-2000)}`);
          if (!isOver) throw new Error('the round does not end');
        },
        async step(wall, mono) {
          await line.say('step', { wall, mono });
        },
        async settle(ms = 30) {
          await line.say('settle', { ms });
        },
        async kill() {
          one.child.kill('SIGKILL');
          await one.ended;
        },
        signal: (name) => void one.child.kill(name),
      };
    },
  };
}

interface Line {
  /** The answer; null when the process has ended. */
  say(command: string, words: object): Promise<boolean | null>;
}

function openLine(child: ChildProcess, onTime: (wall: number) => void): Line {
  const waiting = new Map<number, (value: boolean | null) => void>();
  let last = 0;
  let closed = false;
  const close = () => {
    closed = true;
    for (const answer of waiting.values()) answer(null);
    waiting.clear();
  };
  child.on('message', ({ id, value, wall }: { id: number; value: boolean; wall: number }) => {
    onTime(wall);
    waiting.get(id)?.(value);
    waiting.delete(id);
  });
  child.once('disconnect', close);
  child.once('close', close);
  return {
    say(command, words) {
      last += 1;
      const id = last;
      if (closed || !child.connected) return Promise.resolve(null);
      return new Promise((resolve) => {
        waiting.set(id, resolve);
        child.send({ id, command, ...words }, (error) => {
          if (error !== null) resolve(null);
        });
      });
    },
  };
}
