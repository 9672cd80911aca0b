import { describe, expect, it } from 'vitest';
import type { Container } from '../../../src/container/prepare.ts';
import { recordOf } from '../../../src/round/container-record.ts';
import { survivingContainer, survivorNames } from '../../../src/round/survivors.ts';

describe('survivors in words', () => {
  it('a process has its pid, a container has none', () => {
    const container = survivingContainer('docker', 'a1'.repeat(32), 'kill: no answer in time');
    expect(survivorNames([{ name: 'make', pid: 4711 }, container])).toBe(
      'make (pid 4711), docker container a1a1a1a1a1a1: kill: no answer in time',
    );
    expect(survivorNames([survivingContainer('podman', null, 'x'.repeat(500))]).length).toBeLessThan(200);
  });
});

describe('the record of a container', () => {
  it('leads to the engine and holds no secret of the agent', () => {
    const container: Container = {
      runtime: 'docker',
      control: ['docker', '--context', 'x'],
      env: { PATH: '/bin', DOCKER_HOST: 'unix:///x', ANTHROPIC_API_KEY: 'secret', DOCKER_PASSWORD: 'secret', AGENT_RUNNER_ROUND_ID: 'r' },
      cwd: '/work',
      roundId: 'r',
      owner: 'o',
      cidfile: '/state/o/r/cid',
      cidfileIsOperators: false,
      controlDir: '/state/o/r/control',
      folder: '/state/o/r',
      removesItself: true,
      memoryLimited: false,
    };
    expect(recordOf(container)).toEqual({
      runtime: 'docker',
      control: ['docker', '--context', 'x'],
      cwd: '/work',
      env: { PATH: '/bin', DOCKER_HOST: 'unix:///x' },
      cidfile: '/state/o/r/cid',
      cidfile_is_operators: false,
      folder: '/state/o/r',
    });
  });
});
