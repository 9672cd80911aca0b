import { expect, it } from 'vitest';
import { project } from '../support/project.ts';

const record = (value: object) => `echo '${JSON.stringify(value)}'`;
const RETRY = record({
  type: 'system',
  subtype: 'api_retry',
  attempt: 3,
  max_retries: 10,
  error_status: 429,
  error: 'rate_limit',
  retry_delay_ms: 9000,
});
const READ = record({ type: 'assistant', message: { content: [{ type: 'tool_use', name: 'Read', input: { file_path: 'a.ts' } }] } });

it('while a round runs: signs of life, retries that peek tells, tools in circles; after it failed: words of the network', async () => {
  const at = project({
    agent: `cat >/dev/null; ${READ}; ${READ}; ${READ}; ${RETRY}; while [ ! -e "$(dirname "$0")/go" ]; do sleep 0.05; done; echo 'connect ECONNREFUSED'; exit 1`,
    agentTable: { adapter: 'claude' },
    more: '[monitor]\nround_progress_interval_s = 1\nanomaly_repetitive_window = 5\nanomaly_repetitive_threshold = 3\n',
  });
  const running = at.start(['serve', '--once']);
  await at.event('round_progress', ({ retrying }) => retrying === undefined);
  expect((await at.run(['peek'])).stdout).toContain('; the CLI is retrying (429 rate_limit, attempt 3 of 10); nobody is needed');
  at.release();
  const { stderr } = await running.ended;
  expect(stderr).not.toContain('has no effect yet');
  expect(at.events('anomaly_repetitive_tool')).toMatchObject([{ round_num: 1, tool_name: 'Read', target: 'a.ts', count: 3, window: 5 }]);
  expect(at.events('agent_network_blip')).toMatchObject([{ round_num: 1, matched: 'ECONNREFUSED', exit_code: 1, timed_out: false }]);
});
