import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { agentImage, imageName } from '../../../../src/config/init/agent-images.ts';
import { execPrefixToml, type PrefixFacts, withExecPrefix } from '../../../../src/config/init/exec-prefix.ts';
import { parseConfig } from '../../../../src/config/load.ts';
import { PRESET_NAMES, presetText } from '../../../../src/config/preset.ts';

const FACTS: PrefixFacts = {
  cli: 'docker',
  image: 'agent-runner-claude:local',
  uid: 1000,
  gid: 1000,
  keepId: false,
  credentials: ['ANTHROPIC_API_KEY'],
  env: ['DISABLE_AUTOUPDATER'],
  stopTimeoutS: 10,
};

function agentOf(preset: (typeof PRESET_NAMES)[number], facts: Partial<PrefixFacts>) {
  const text = withExecPrefix(presetText(preset), execPrefixToml({ ...FACTS, ...facts }));
  const loaded = parseConfig(text, '/srv/shop/agent-runner.toml');
  expect(loaded.warnings).toEqual([]);
  return loaded.config.agent;
}

it.each(PRESET_NAMES)('preset %s: the prefix is added to its [agent] table, and the rest stays', (preset) => {
  const { exec_prefix: prefix, ...rest } = agentOf(preset, {});
  const { exec_prefix: _none, ...before } = parseConfig(presetText(preset), '/srv/shop/agent-runner.toml').config.agent;
  expect(rest).toEqual(before);
  expect(prefix.join(' ')).toBe(
    'docker run --rm -i --init --pull never --stop-timeout 10 -u 1000:1000 -e HOME=/home/agent -v {work_dir}:/work:Z -w /work -e ANTHROPIC_API_KEY -e DISABLE_AUTOUPDATER agent-runner-claude:local',
  );
});

it('every line of the prefix says why', () => {
  const lines = execPrefixToml(FACTS).split('\n');
  const flags = lines.slice(lines.indexOf('exec_prefix = [') + 1, lines.indexOf(']'));
  expect(flags.length).toBeGreaterThan(10);
  for (const line of flags) expect(line).toMatch(/^ {2}".*", # \S.{10,}$/);
});

describe('who the agent is inside', () => {
  it.each<[string, Partial<PrefixFacts>, string]>([
    ['docker: the owner of the tree', { uid: 1004, gid: 50 }, '-u 1004:50'],
    ['docker, a tree of root: the image’s user, never root', { uid: 0, gid: 0 }, '-u 1000:1000'],
    ['podman as root', { cli: 'podman' }, '-u 1000:1000'],
    ['podman rootless: you are the image’s user', { cli: 'podman', uid: 1004, keepId: true }, '--userns=keep-id:uid=1000,gid=1000'],
  ])('%s', (_name, facts, words) => {
    expect(agentOf('claude', facts).exec_prefix.join(' ')).toContain(` ${words} `);
  });

  it('another uid than the image has is told with the build argument', () => {
    expect(execPrefixToml({ ...FACTS, uid: 1004, gid: 50 })).toContain('--build-arg AGENT_UID=1004 --build-arg AGENT_GID=50');
  });
});

it('no secret ever gets a value, and a CLI without a usual key gets none', () => {
  expect(agentOf('codex', {}).exec_prefix.filter((token) => token.includes('KEY='))).toEqual([]);
  expect(agentOf('demo', { credentials: [], env: [] }).exec_prefix.filter((token) => token === '-e')).toHaveLength(1);
});

const CHECKS = fileURLToPath(new URL('../../../../src/container/checks.ts', import.meta.url));

describe.runIf(existsSync(CHECKS))('against the start-up checks of container prefixes', () => {
  it.each(['docker', 'podman'] as const)('%s: no error, no warning', async (cli) => {
    const { checkContainer } = await import(CHECKS);
    const agent = agentOf('claude', { cli, keepId: cli === 'podman' });
    const argv = [...agent.exec_prefix, ...agent.command].map((token) => token.replaceAll('{work_dir}', '/srv/shop'));
    const problems = checkContainer({
      argv,
      prefixLength: agent.exec_prefix.length,
      promptDelivery: agent.prompt_delivery,
      workDir: '/srv/shop',
      logDir: '/home/me/.agent-runner/shop/logs',
      env: { ANTHROPIC_API_KEY: 'x', DISABLE_AUTOUPDATER: '1' },
      gitFile: null,
      imagePresent: true,
      user: 'me',
      realPath: (path: string) => path,
    });
    expect(problems).toEqual([]);
  });
});

it('image names are names, whatever the agent is called', () => {
  expect(['claude', 'My Agent', '…', 'x_y'].map(imageName)).toEqual([
    'agent-runner-claude:local',
    'agent-runner-my-agent:local',
    'agent-runner-agent:local',
    'agent-runner-x-y:local',
  ]);
  expect(agentImage('constructor')).toEqual({ install: '', credentials: [] });
});
