/** How the scene is driven: see scene.mjs. */
type Drive = 'run' | 'waiting' | 'stop' | 'kill' | 'crash';

export interface Situation {
  /** What happens, as the matrix heads its row. */
  what: string;
  /** Of the scripted model server. */
  behaviour: string;
  /** What the agent's shell tool is asked to run; default: it edits and commits. MARKER is a file that tells that it runs. */
  command?: string;
  drive: Drive;
  args: readonly string[];
  /** `runtime.round_timeout_s`. */
  timeoutS: number;
  /** `runtime.idle_timeout_s`; default: off. */
  idleS?: number;
  /** The tool leaves something running, or is working when the round is ended: somebody must be in the receipt. */
  leaves?: boolean;
}

const ONCE = ['serve', '--max-rounds', '1'];
const COMMIT = 'echo hello-from-agent >> hello.txt && git add -A && git commit -qm "one more hello"';
const MARKER = 'echo > MARKER';
/** Longer than every CLI's own patience that ends within minutes; what is silent for longer meets this wall. */
const PATIENCE_S = 150;

const one = (what: string, behaviour: string, more: Partial<Situation> = {}): Situation => ({
  what,
  behaviour,
  drive: 'run',
  args: ['round'],
  timeoutS: PATIENCE_S,
  ...more,
});

/** What can happen to a round, by name. */
export const SITUATIONS = {
  clean: one('edits and commits', 'ok', { args: ONCE }),
  billing: one('400, nothing left to pay with', '400', { drive: 'waiting', args: ['serve'] }),
  refused: one('401', '401'),
  recovers: one('429 twice, then fine', '429x2', { args: ONCE }),
  limited: one('429 for good, "try again in 1 s"', '429', { drive: 'waiting', args: ['serve'] }),
  account: one("429 for good, the account's limit with its end", 'limit', { drive: 'waiting', args: ['serve'] }),
  broken: one('500 for good', '500', { drive: 'waiting', args: ['serve'] }),
  overloaded: one('529 for good', '529', { drive: 'waiting', args: ['serve'] }),
  dropped: one('the stream is cut', 'drop'),
  hangs: one('no answer, ever', 'hang', { timeoutS: 12 }),
  silent: one('no answer, ever, with `idle_timeout_s = 40`', 'hang', { idleS: 40 }),
  drains: one('`stop` while the tool works', 'ok', { drive: 'stop', args: ['serve'], command: `${MARKER}; sleep 3; ${COMMIT}` }),
  killed: one('`kill` while the tool works', 'ok', { drive: 'kill', args: ['serve'], command: `${MARKER}; sleep 301`, leaves: true }),
  background: one('the tool leaves a job running', 'ok', {
    command: `${COMMIT}; sleep 302 >/dev/null 2>&1 &`,
    args: ONCE,
    leaves: true,
  }),
  daemon: one('the tool leaves a daemon: own session, deaf to TERM', 'ok', {
    command: `${COMMIT}; setsid sh -c 'trap "" TERM HUP INT; sleep 303; :' >/dev/null 2>&1 </dev/null & sleep 0.3`,
    args: ONCE,
    leaves: true,
  }),
  crash: one('SIGKILL for serve while the tool works, serve again', 'ok', {
    drive: 'crash',
    args: ONCE,
    command: `${MARKER}; sleep 304`,
    leaves: true,
  }),
} as const satisfies Record<string, Situation>;

export type SituationName = keyof typeof SITUATIONS;
/** After a crash of serve, the model asks for this. */
export const LATER = { behaviour: 'ok', command: COMMIT };
