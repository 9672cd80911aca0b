import { expect, it } from 'vitest';
import { mustPark, parked, restartCommand, type Surroundings } from '../../../src/serve/park.ts';
import type { Clock } from '../../../src/util/clock.ts';
import { EXIT } from '../../../src/util/exit-codes.ts';

it('parks after 70, 75 and 78, when it was asked for, and after nothing else', () => {
  const codes = Object.values(EXIT).map(({ code }) => code);
  expect(codes.filter((code) => mustPark(true, code))).toEqual([70, 75, 78]);
  expect(codes.filter((code) => mustPark(false, code))).toEqual([]);
});

const here = (change: Partial<Surroundings> = {}): Surroundings => ({ env: {}, hostname: 'box', exists: () => false, ...change });
const inside = (mark: string, hostname = '0123456789ab') => here({ hostname, exists: (path) => path === mark });

it.each<[string, Surroundings, string]>([
  ['what the compose file says', here({ env: { AGENT_RUNNER_RESTART_COMMAND: ' docker compose restart x ' } }), 'docker compose restart x'],
  ['docker', inside('/.dockerenv'), 'docker restart 0123456789ab'],
  ['podman', inside('/run/.containerenv'), 'podman restart 0123456789ab'],
  [
    'a container whose host name says nothing',
    inside('/.dockerenv', 'night'),
    'agent-runner stop --config /p/a.toml && agent-runner serve --park --config /p/a.toml',
  ],
  ['no container', here(), 'agent-runner stop --config /p/a.toml && agent-runner serve --park --config /p/a.toml'],
  [
    'a command of two lines is none',
    here({ env: { AGENT_RUNNER_RESTART_COMMAND: 'a\nb' } }),
    'agent-runner stop --config /p/a.toml && agent-runner serve --park --config /p/a.toml',
  ],
])('the command that restarts: %s', (_name, surroundings, command) => {
  expect(restartCommand('/p/a.toml', surroundings)).toBe(command);
});

it('a path with blanks stays one word', () => {
  expect(restartCommand("/it's here/a.toml", here())).toContain(`--config '/it'\\''s here/a.toml' &&`);
});

it('a parked serve sleeps without end, and leaves with 0 at the first stop signal', async () => {
  const drain = new AbortController();
  let naps = 0;
  const clock: Clock = {
    now: () => 0,
    monotonic: () => 0,
    sleep: async () => {
      naps += 1;
      if (naps === 3) drain.abort();
    },
  };
  const lines: string[] = [];
  const write = (...words: unknown[]) => void lines.push(String(words.at(-1)));
  const signals = { drain: drain.signal, asked: () => 'SIGTERM' } as never;
  expect(await parked({ clock, log: { error: write, info: write } as never, signals, state: { command: 'do this' } })).toBe(0);
  expect(naps).toBe(3);
  expect(lines.join('\n')).toContain('do this');
});
