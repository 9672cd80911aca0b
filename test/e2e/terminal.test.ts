import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { WELL } from '../support/fake-agents.ts';
import { requirePart } from '../support/parts.ts';
import { project } from '../support/project.ts';

/** What a terminal shows of one round of `serve`. */
async function shown(env: NodeJS.ProcessEnv, ...more: string[]): Promise<string> {
  const at = project({ agent: WELL });
  const wrapper = ['python3', resolve(import.meta.dirname, '../support/terminal.py'), at.folder];
  await at.start(['serve', '--once', ...more], { wrapper, env: { TERM: 'xterm', NO_COLOR: undefined, ...env } }).ended;
  return readFileSync(join(at.folder, 'terminal'), 'utf8');
}

it('serve has colours at a terminal, and none with --no-color or NO_COLOR', async (context) => {
  requirePart(context, 'python3');
  expect(await shown({})).toContain('\x1b[3');
  expect(await shown({}, '--no-color')).not.toContain('\x1b');
  expect(await shown({ NO_COLOR: '1' })).not.toContain('\x1b');
});
