import { expect, it } from 'vitest';
import type { DoctorContext } from '../../../src/doctor/check.ts';
import { configuration } from '../../../src/doctor/checks/configuration.ts';

const problem = { file: '/gone/agent-runner.toml', line: 1, column: 1, key: '', message: 'there is no such file', remedy: 'Write one.' };

it('a file that is not there is named, and has no line', async () => {
  const context = { configPath: problem.file, project: null, problems: [{ ...problem, code: 'AR-CFG-002' }] };
  const [finding] = await configuration.run(context as unknown as DoctorContext);
  expect(finding).toMatchObject({ status: 'failed', summary: '/gone/agent-runner.toml: there is no such file' });
});
