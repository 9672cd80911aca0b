/** How a tool hides, in the words of test/agents/hide.py. */
export const TRICKS = {
  group: 'a process group of its own (the shell tool of each of the six agent CLIs that were looked at)',
  session: 'a session of its own (`setsid`, Node’s `detached`)',
  'group+deaf': 'a group of its own, and it ignores TERM, INT and HUP',
  'session+orphan': 'a session of its own, and its parent is gone (double fork, a daemon)',
  'group+bare': 'a group of its own, with an empty environment (`env -i`)',
  'session+bare': '`setsid` and `env -i`',
  'session+orphan+bare+deaf': 'all of it: session, double fork, `env -i`, deaf',
} as const;
export type Trick = keyof typeof TRICKS;

/** By what everybody is found and ended. */
export const MEANS = {
  group: 'process group',
  kin: 'group, session, descendants',
  mark: 'the same and the mark in the environment',
  leaf: 'control group alone',
  namespace: 'PID namespace alone',
} as const;
export type Means = keyof typeof MEANS;

export interface Cell {
  /** The tool was alive when everything was done. */
  lives: boolean;
  /** From the first signal (or look) to the end of the ending. */
  ms: number;
}

/** When the agent is ended: in the middle of its work, or after it has exited by itself and left the tool. */
export const MOMENTS = ['running', 'exited'] as const;
export type Moment = (typeof MOMENTS)[number];

/** test/fixtures/isolation.json: measured by test/integration/run/hiding.test.ts, shown in docs/isolation.md. */
export type Measured = Record<Trick, Record<Means, Record<Moment, Cell>>>;
