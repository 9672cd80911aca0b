import { describe, expect, it } from 'vitest';
import { type ContainerEvent, parseEvents } from '../../../src/container/engine-events.ts';
import type { ContainerEvidence } from '../../../src/container/evidence.ts';
import { type ContainerVerdict, containerVerdict } from '../../../src/container/verdict.ts';

type Step = [action: ContainerEvent['action'], atMs: number, more?: Partial<ContainerEvent>];
const events = (source: 'docker' | 'podman', ...steps: Step[]): ContainerEvent[] =>
  steps.map(([action, at, more]) => ({ action, at, id: 'x', source, signal: null, exitCode: null, ...more }));
const docker = (...steps: Step[]) => evidence({ events: events('docker', ['create', 0], ...steps) });
const podman = (more: Partial<ContainerEvidence>, ...steps: Step[]) =>
  evidence({ ...more, events: events('podman', ['create', 0], ...steps) });
const evidence = (more: Partial<ContainerEvidence>): ContainerEvidence => ({
  events: null,
  created: true,
  kernelOom: null,
  memoryLimited: false,
  ...more,
});
const started: Step = ['start', 100];
const died = (exitCode: number, at = 60_000): Step => ['die', at, { exitCode }];

describe('containerVerdict', () => {
  it.each<[string, number | null, boolean, ContainerEvidence | null, ContainerVerdict]>([
    ['no question asked', 3, false, null, 'agent'],
    ['a client that a signal ended', null, false, null, 'agent'],
    // field bug 28
    ['125 without a start', 125, false, docker(), 'container_error'],
    ['125 and the engine knows nothing', 125, false, evidence({ events: [], created: false }), 'container_error'],
    ['125 said by the agent', 125, false, docker(started, died(125)), 'agent'],
    ['126 without a start', 126, false, docker(['remove', 90]), 'container_error'],
    ['127 without a start', 127, false, docker(['remove', 90]), 'container_error'],
    ['127 said by the agent', 127, false, docker(started, died(127)), 'agent'],
    ['127 said by the agent, podman', 127, false, podman({}, started, died(127)), 'agent'],
    ['125 by a client that lost the engine', 125, false, docker(started), 'container_error'],
    ['125 by a client, 0 by the agent', 125, false, docker(started, died(0)), 'container_error'],
    ['an end whose start was forgotten', 127, false, docker(died(127)), 'agent'],
    ['no memory of events, no id', 125, false, evidence({ created: false }), 'container_error'],
    ['no memory of events, an id', 125, false, evidence({}), 'agent'],
    // field bug 29
    ['oom of the main process', 137, false, docker(started, ['oom', 59_980], died(137)), 'oom_killed'],
    ['oom told just after the end', 137, false, docker(started, died(137), ['oom', 60_050]), 'oom_killed'],
    ['oom of a child long before a kill from the host', 137, false, docker(started, ['oom', 10_000], died(137)), 'foreign_kill'],
    ['killed through the engine', 137, false, docker(started, ['kill', 59_900, { signal: 9 }], died(137)), 'foreign_kill'],
    ['killed from the host', 137, false, docker(started, died(137)), 'foreign_kill'],
    ['killed from the host, though there is a limit', 137, false, { ...docker(started, died(137)), memoryLimited: true }, 'foreign_kill'],
    ['podman, the kernel log names it', 137, false, podman({ kernelOom: true }, started, died(137)), 'oom_killed'],
    ['podman, the kernel log does not', 137, false, podman({ kernelOom: false, memoryLimited: true }, started, died(137)), 'foreign_kill'],
    ['podman, no kernel log, a limit', 137, false, podman({ memoryLimited: true }, started, died(137)), 'oom_killed'],
    ['podman, no kernel log, no limit', 137, false, podman({}, started, died(137)), 'foreign_kill'],
    ['podman kill', 137, false, podman({ memoryLimited: true }, started, ['kill', 59_000], died(137)), 'foreign_kill'],
    ['podman stop with a grace', 137, false, podman({ kernelOom: true }, started, ['stop', 30_000], died(137)), 'foreign_kill'],
    ['a HUP is no kill', 137, false, docker(started, ['kill', 59_990, { signal: 1 }], ['oom', 59_991], died(137)), 'oom_killed'],
    ['our own kill', 137, true, docker(started, ['oom', 59_980], died(137)), 'own_kill'],
    ['our own stop that the agent followed', 0, true, null, 'agent'],
    ['our own kill of the client', null, true, null, 'own_kill'],
  ])('%s', (_, code, endedByUs, seen, expected) => {
    expect(containerVerdict(code, endedByUs, seen)).toBe(expected);
  });
});

describe('parseEvents', () => {
  it('reads docker', () => {
    const line = (action: string, nano: number, attributes: Record<string, string> = {}) =>
      JSON.stringify({ Type: 'container', Action: action, Actor: { ID: 'x', Attributes: attributes }, timeNano: nano });
    const text = [
      line('die', 3e9, { exitCode: '137' }),
      line('start', 1e9),
      'torn {',
      line('kill', 2e9, { signal: '9' }),
      line('exec_create: sh', 2.5e9),
    ].join('\n');
    expect(parseEvents(text)).toEqual([
      { action: 'start', id: 'x', at: 1000, source: 'docker', signal: null, exitCode: null },
      { action: 'kill', id: 'x', at: 2000, source: 'docker', signal: 9, exitCode: null },
      { action: 'other', id: 'x', at: 2500, source: 'docker', signal: null, exitCode: null },
      { action: 'die', id: 'x', at: 3000, source: 'docker', signal: null, exitCode: 137 },
    ]);
  });

  it('reads podman', () => {
    const text = [
      '{"ID":"x","Status":"start","Time":"1970-01-01T00:00:01.5Z","Type":"container","Attributes":{"a":"b"}}',
      '{"ContainerExitCode":127,"ID":"x","Status":"died","Time":"1970-01-01T00:00:02Z","Type":"container"}',
      '{"Type":"image","Status":"pull"}',
      'null',
    ].join('\n');
    expect(parseEvents(text)).toEqual([
      { action: 'start', id: 'x', at: 1500, source: 'podman', signal: null, exitCode: null },
      { action: 'die', id: 'x', at: 2000, source: 'podman', signal: null, exitCode: 127 },
    ]);
  });
});
