import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { parseConfig } from '../../../src/config/load.ts';
import { startWarnings } from '../../../src/round/start-warnings.ts';
import { scratchRepo } from '../../support/repo.ts';
import { ROOT } from '../../support/sources.ts';

const TEMPLATE = readFileSync(join(ROOT, 'src/config/presets/prompt.md'), 'utf8');

function warned({ logs = '../logs', ignore = '', prompt = 'Do the task.' }: { logs?: string; ignore?: string; prompt?: string }) {
  const at = scratchRepo({ logs });
  onTestFinished(() => at.close());
  at.write('prompts/main.md', prompt);
  if (ignore !== '') at.write('.gitignore', ignore);
  const text = `[agent]\ncommand = ["claude"]\nprompt_arg_template = ["{prompt}"]\n[runtime]\nwork_dir = "."\nlog_dir = "${logs}"\n[prompt]\nfile = "prompts/main.md"\n`;
  return startWarnings(parseConfig(text, join(at.workDir, 'agent-runner.toml')), at.repo);
}

it('logs in the work tree that git does not ignore', async () => {
  expect(await warned({ logs: 'logs' })).toEqual([expect.stringContaining('git does not ignore it')]);
  expect(await warned({ logs: 'logs', ignore: 'logs/\n' })).toEqual([]);
  expect(await warned({ logs: '-logs', ignore: '/-logs\n' })).toEqual([]);
  expect(await warned({ logs: '../logs' })).toEqual([]);
});

it('the prompt of init, as long as its task is not written', async () => {
  expect(await warned({ prompt: TEMPLATE })).toEqual([
    expect.stringMatching(/prompts\/main\.md still has the task that 'agent-runner init'/),
  ]);
  expect(await warned({ prompt: `${TEMPLATE}\nMore rules of ours.\n` })).toHaveLength(1);
  expect(await warned({ prompt: TEMPLATE.replace(/Replace this section.*\n/, 'Port the parser to Rust.\n') })).toEqual([]);
});
