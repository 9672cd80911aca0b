import { expect, it } from 'vitest';
import { HOOK_MARK, hookEnvironment } from '../../../src/hooks/environment.ts';
import { refuseInsideRound } from '../../../src/service/inside-round.ts';

const inherited = {
  PATH: '/bin',
  HOME: '/home/me',
  NTFY_TOKEN: 'mine',
  NOTIFY_SOCKET: '/run/notify',
  WATCHDOG_USEC: '1',
  LISTEN_FDS: '1',
  JOURNAL_STREAM: '8:1',
  GIT_DIR: '/x',
  NODE_OPTIONS: '--x',
  npm_config_x: '1',
  CLAUDECODE: '1',
  AGENT_RUNNER_ROUND_ID: 'somebody',
  AGENT_RUNNER_SKIP_STARTUP_CHECK: '1',
  UNSET: undefined,
};
const env = hookEnvironment({ inherited, logDir: '/logs', workDir: '/work', token: 't' });

it('is the user’s own, without what belongs to serve or to agents', () => {
  expect(env).toEqual({
    PATH: '/bin',
    HOME: '/home/me',
    NTFY_TOKEN: 'mine',
    AGENT_RUNNER_LOG_DIR: '/logs',
    [HOOK_MARK]: 't',
    PWD: '/work',
  });
});

it('a hook may pause, stop and answer: it is no agent', () => {
  expect(() => refuseInsideRound('pause', '/logs', env)).not.toThrow();
  expect(() => refuseInsideRound('pause', '/logs', { ...env, AGENT_RUNNER_ROUND_ID: 'r' })).toThrow();
});
