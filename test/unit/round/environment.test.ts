import { describe, expect, it } from 'vitest';
import { agentEnvironment } from '../../../src/round/environment.ts';

const made = (part: Partial<Parameters<typeof agentEnvironment>[0]> = {}) =>
  agentEnvironment({
    inherited: { PATH: '/bin', HOME: '/home/u' },
    logDir: '/logs',
    roundNum: 7,
    roundId: 'the-id',
    phase: 'plan',
    freshEyes: false,
    envFile: {},
    configured: {},
    workDir: '/work dir',
    ...part,
  });

describe('the environment of an agent', () => {
  it('is ours on top of what was inherited', () => {
    expect(made()).toEqual({
      PATH: '/bin',
      HOME: '/home/u',
      AGENT_RUNNER_LOG_DIR: '/logs',
      AGENT_RUNNER_ROUND_NUM: '7',
      AGENT_RUNNER_PHASE: 'plan',
      AGENT_RUNNER_FRESH_EYES: '0',
      AGENT_RUNNER_ROUND_ID: 'the-id',
      PWD: '/work dir',
    });
  });

  it('field bug 39: takes out what would make the agent believe that it runs inside another one, and our own world', () => {
    const inherited = Object.fromEntries(
      [
        'AGENT_RUNNER_ROUND_ID',
        'AGENT_RUNNER_DEBUG',
        'NOTIFY_SOCKET',
        'WATCHDOG_USEC',
        'WATCHDOG_PID',
        'LISTEN_FDS',
        'LISTEN_PID',
        'JOURNAL_STREAM',
        'CLAUDECODE',
        'GIT_DIR',
        'GIT_INDEX_FILE',
        'GIT_WORK_TREE',
        'NODE_OPTIONS',
        'npm_config_registry',
        'npm_lifecycle_event',
      ].map((name) => [name, 'planted']),
    );
    const env = made({ inherited: { ...inherited, KEPT: 'yes' } });
    expect(Object.values(env)).not.toContain('planted');
    expect(env.KEPT).toBe('yes');
  });

  it('lets the configuration win over the env file, and both over what was inherited', () => {
    const env = made({ inherited: { A: '1', B: '1', C: '1' }, envFile: { B: '2', C: '2' }, configured: { C: '3', EMPTY: '' } });
    expect(env).toMatchObject({ A: '1', B: '2', C: '3', EMPTY: '' });
  });

  it('scar 22: pins PWD and the mark, whatever is configured', () => {
    const env = made({ configured: { PWD: '/elsewhere', AGENT_RUNNER_ROUND_ID: 'forged' }, envFile: { PWD: '/there' } });
    expect(env.PWD).toBe('/work dir');
    expect(env.AGENT_RUNNER_ROUND_ID).toBe('the-id');
  });
});
