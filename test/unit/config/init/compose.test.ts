import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ComposeFacts, composeProject, renderCompose, withGrace } from '../../../../src/config/init/compose.ts';
import { parseConfig } from '../../../../src/config/load.ts';
import { presetText } from '../../../../src/config/preset.ts';
import { stopBudget } from '../../../../src/service/stop-budget.ts';
import { ROOT } from '../../../support/sources.ts';

const shipped = (name: string) => readFileSync(join(ROOT, 'deploy', name), 'utf8');
const FILES = ['docker-compose.yml', 'docker-compose.exec-prefix.yml'] as const;
const FACTS: ComposeFacts = {
  project: 'shop',
  image: 'agent-runner-codex:local',
  install: 'npm install -g @openai/codex',
  agentTarget: 'agent',
  uid: 1004,
  gid: 50,
  graceS: 777,
};

describe.each(FILES)('%s', (name) => {
  it('every place is filled in, and nothing else changes', () => {
    const before = shipped(name).split('\n');
    const after = renderCompose(shipped(name), FACTS).split('\n');
    expect(after).toHaveLength(before.length);
    const changed = after.filter((line, i) => line !== before[i]).map((line) => line.trim());
    expect(new Set(changed.filter((line) => !line.includes('.agent-runner/')))).toEqual(
      new Set([
        'image: "agent-runner-codex:local"',
        'AGENT_INSTALL: "npm install -g @openai/codex"',
        'AGENT_UID: "1004"',
        'AGENT_GID: "50"',
        'stop_grace_period: 777s',
      ]),
    );
    expect(after.join('\n')).not.toMatch(/\.agent-runner\/work|claude/);
  });

  it('a project name with quotes, blanks and dollars stays one text, and is no variable', () => {
    const text = renderCompose(shipped(name), { ...FACTS, project: 'a "b" $HOME \\ ä' });
    expect(text).toContain('/.agent-runner/a \\"b\\" $$HOME \\\\ ä/env"');
  });

  it('the grace follows, and an edited file keeps everything else', () => {
    const edited = `${shipped(name)}# mine\n`;
    const fresh = withGrace(edited, 4242);
    expect(fresh).toContain('stop_grace_period: 4242s');
    expect(fresh.replace('4242s', shipped(name).match(/stop_grace_period: (\d+s)/)?.[1] ?? '')).toBe(edited);
    expect(withGrace(fresh, 4242)).toBe(fresh);
  });

  it('no version line, nothing of v2 alone: valid for Compose 1.29 and v2', () => {
    expect(shipped(name)).not.toMatch(/^(version|name|include|develop):/m);
    expect(shipped(name)).not.toMatch(/^ +(required|pull_policy|additional_contexts|secrets):/m);
  });

  it('no secret has a value in it', () => {
    expect(shipped(name)).not.toMatch(/^ *- ?"?\w*(KEY|TOKEN|SECRET|PASSWORD)\w*=/m);
  });
});

it('the bundled agent comes from the stage that has the program', () => {
  expect(renderCompose(shipped('docker-compose.exec-prefix.yml'), { ...FACTS, agentTarget: 'agent-runner' })).toContain(
    '      target: agent-runner\n',
  );
});

it('Compose takes every project name that we make', () => {
  expect(composeProject('Shop 2.0')).toBe('agent-runner-shop-2-0');
  fc.assert(fc.property(fc.string(), (name) => /^[a-z0-9][a-z0-9_-]*$/.test(composeProject(name))));
});

it.each([
  ['docker-compose.yml', ''],
  ['docker-compose.exec-prefix.yml', 'exec_prefix = ["docker", "run", "x"]\n'],
])('%s as it is shipped has the stop budget of the claude preset', (name, prefix) => {
  const text = presetText('claude').replace('[agent]\n', `[agent]\n${prefix}`);
  const { seconds } = stopBudget(parseConfig(text, '/srv/shop/agent-runner.toml').config);
  expect(shipped(name)).toContain(`stop_grace_period: ${seconds}s`);
});
