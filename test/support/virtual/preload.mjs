// Loaded with `node --import` in front of the built program, in tests alone: gives that process a wall clock and a monotonic clock which
// a test can push forward, step, or hold back. Time goes by itself as fast as it really does; pushes come on top. Nothing in the program
// knows of it: `Date`, `performance.now` and `timers/promises` are what src/util/clock.ts asks, and files in /proc are what the host says.
//
// VIRTUAL_CLOCK names a JSON file: { wall, mono: offsets in ms; files: { path: text to be read in its place }; inFlight: path }.
// VIRTUAL_NOW, epoch ms: for this process the wall clock stands there.
// With an IPC channel the test pushes the clock of a running process: see `commands`.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';

const original = {
  now: Date.now,
  monotonic: performance.now.bind(performance),
  readFileSync: fs.readFileSync,
  readFile: fs.readFile,
  readFilePromise: fs.promises.readFile,
};
const { setTimeout, setImmediate, clearTimeout } = globalThis;
const clock = JSON.parse(original.readFileSync(process.env.VIRTUAL_CLOCK, 'utf8'));
const standing = process.env.VIRTUAL_NOW;
const wall = () => Math.trunc(standing === undefined ? original.now() + clock.wall : Number(standing));
const monotonic = () => original.monotonic() + clock.mono;

// ---- what the program sees

Date.now = wall;
globalThis.Date = new Proxy(Date, {
  construct: (target, args, newTarget) => Reflect.construct(target, args.length === 0 ? [wall()] : args, newTarget),
  apply: (target) => new target(wall()).toString(),
});
performance.now = monotonic;

/** Above this Node fires a timer at once; so does this one. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
/** @type {Set<{ due: number, ms: number, timer: unknown, ref: boolean, fire: () => void }>} */
const sleepers = new Set();

timers.setTimeout = (ms = 1, value = undefined, { signal, ref = true } = {}) =>
  new Promise((resolve, reject) => {
    const aborted = () => new DOMException('The operation was aborted', 'AbortError');
    if (signal?.aborted) return reject(aborted());
    const length = ms > LONGEST_TIMER_MS ? 1 : Math.max(1, ms);
    const leave = () => {
      clearTimeout(sleeper.timer);
      sleepers.delete(sleeper);
      signal?.removeEventListener('abort', abort);
    };
    const abort = () => {
      leave();
      reject(aborted());
    };
    const sleeper = {
      due: monotonic() + length,
      ms: length,
      ref,
      timer: null,
      fire() {
        leave();
        resolve(value);
      },
    };
    sleepers.add(sleeper);
    signal?.addEventListener('abort', abort);
    arm(sleeper);
  });

function arm(sleeper) {
  clearTimeout(sleeper.timer);
  sleeper.timer = setTimeout(sleeper.fire, Math.max(0, sleeper.due - monotonic()));
  if (!sleeper.ref) sleeper.timer.unref();
}

const standsIn = (path) => (typeof path === 'string' && path.startsWith('/') ? clock.files[path] : undefined);
const encoded = (text, options) => ((typeof options === 'string' ? options : options?.encoding) ? text : Buffer.from(text));
fs.readFileSync = (path, options) => {
  const text = standsIn(path);
  return text === undefined ? original.readFileSync(path, options) : encoded(text, options);
};
fs.readFile = (path, ...rest) => {
  const text = standsIn(path);
  if (text === undefined) return original.readFile(path, ...rest);
  const done = rest.at(-1);
  setImmediate(() => done(null, encoded(text, rest.length > 1 ? rest[0] : undefined)));
};
fs.promises.readFile = async (path, options) => {
  const text = standsIn(path);
  return text === undefined ? original.readFilePromise(path, options) : encoded(text, options);
};
syncBuiltinESMExports();

// ---- what the test does

/** Pushes both clocks and lets fire what is due by then, in its order. */
function push(ms) {
  clock.wall += ms;
  clock.mono += ms;
  rearm();
}

function rearm() {
  const now = monotonic();
  const due = [...sleepers].filter((sleeper) => sleeper.due <= now).sort((a, b) => a.due - b.due);
  for (const sleeper of due) sleeper.fire();
  for (const sleeper of sleepers) arm(sleeper);
}

const breathe = () => new Promise((resolve) => setImmediate(resolve));
/** Without a reference: a program that has nothing more to do ends, whatever it was asked. */
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms).unref());
const roundIsOn = () => fs.existsSync(clock.inFlight);
const active = (kind) => process.getActiveResourcesInfo().filter((name) => name.startsWith(kind)).length;
const reading = () => active('FSReq') > 0;
const nextDue = () => Math.min(...[...sleepers].map(({ due }) => due));

/** So often without a pause: most of what a program does between two sleeps takes less than a millisecond. */
const LOOKS = 30;

/** Resolves with true when the program does nothing but sleep between two rounds, with false when a round is on. */
async function betweenRounds() {
  for (let look = 0; ; look++) {
    for (let i = 0; i < 3; i++) await breathe();
    if (roundIsOn()) return false;
    if (sleepers.size > 0 && active('ProcessWrap') === 0 && !reading()) return true;
    if (look > LOOKS) await pause(1);
  }
}

/** Sleeps below this, while a round is on, wait for the real end of real processes. */
const SHORT_MS = 100;

/** Resolves with true when nothing happens in the round but its agent, with false when there is no round (any more). */
async function withinRound() {
  for (let look = 0; ; look++) {
    for (let i = 0; i < 3; i++) await breathe();
    if (!roundIsOn()) return false;
    // One process: the agent. None: it is dead, and what follows takes real time.
    if (sleepers.size > 0 && active('ProcessWrap') === 1 && !reading() && ![...sleepers].some(({ ms }) => ms < SHORT_MS)) return true;
    if (look > LOOKS) await pause(1);
  }
}

/** Sleep by sleep until the wall clock reads `until`, or until `quiet` says that it must not go on; no leap below `stride` ms. */
async function leap(until, stride, quiet) {
  for (;;) {
    const goesOn = await quiet();
    const left = until - wall();
    if (!goesOn || left <= 0) return goesOn;
    push(Math.min(left, Math.max(stride, nextDue() - monotonic())));
  }
}

const commands = {
  /** Passes the time between rounds; true at `until`, false as soon as a round is on. */
  wait: ({ until, stride }) => leap(until, stride, betweenRounds),
  /** Passes the time of the round that is on; false when that ended before `until`. */
  work: ({ until, stride }) => leap(until, stride, withinRound),
  /** Steps the clocks, each by its own length: somebody set the time, or the machine was suspended. */
  step({ wall: wallMs, mono: monoMs }) {
    clock.wall += wallMs;
    clock.mono += monoMs;
    rearm();
    return true;
  },
  files({ files }) {
    clock.files = files;
    return true;
  },
  /** Until the round that is on has ended, at most `ms` of real time. */
  async over({ ms }) {
    for (const end = original.monotonic() + ms; roundIsOn(); await pause(2)) if (original.monotonic() > end) return false;
    await betweenRounds();
    return true;
  },
  /** Lets the program take notice of what was done to its files. */
  async settle({ ms }) {
    await pause(ms);
    return betweenRounds();
  },
};

if (process.send !== undefined) {
  process.on('message', async ({ id, command, ...rest }) => {
    const value = await commands[command](rest);
    process.send({ id, value, wall: clock.wall, mono: clock.mono });
  });
  process.channel.unref();
}
