import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { buildProgram } from '../../src/cli/program.ts';
import { LATER_VERBS } from '../../src/cli/verbs.ts';
import { agentImage, imageName } from '../../src/config/init/agent-images.ts';
import { execPrefixToml } from '../../src/config/init/exec-prefix.ts';
import { parseConfig } from '../../src/config/load.ts';
import { PRESET_NAMES, presetText } from '../../src/config/preset.ts';
import { blocksOf, markdownIn } from '../support/markdown.ts';
import { ROOT } from '../support/sources.ts';

const RECIPES = markdownIn('recipes');
const FILES = [...RECIPES, 'docs/long-running-agents.md', 'docs/hooks.md'];
const AGENTS = PRESET_NAMES.filter((name) => name !== 'demo');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const BLOCKS = FILES.flatMap(blocksOf);
const CONFIGS = BLOCKS.filter(({ language }) => language === 'toml').map(({ place, text }) => ({ place, text }));
/** A block without an agent is a table to be added. */
const MINIMUM =
  '[agent]\ncommand = ["x"]\nprompt_delivery = "stdin"\n[runtime]\nwork_dir = "."\nlog_dir = "/logs"\n[prompt]\nfile = "p.md"\n';
const loaded = (text: string) => parseConfig(text.includes('[agent]') ? text : `${MINIMUM}${text}`, '/srv/my-project/agent-runner.toml');
const containers = CONFIGS.map(({ place, text }) => ({ place, agent: loaded(text).config.agent })).filter(
  ({ agent }) => agent.exec_prefix.length > 0,
);

test('every agent has its recipe, bare and in a container, and the index lists every recipe', () => {
  for (const agent of AGENTS) {
    const own = CONFIGS.filter(({ place }) => place.startsWith(`recipes/${agent}.md:`)).map(({ text }) => loaded(text).config.agent);
    expect.soft(own.map(({ exec_prefix: prefix }) => prefix.length > 0).slice(0, 2), agent).toEqual([false, true]);
    expect.soft(basename(own[0]?.command[0] ?? ''), agent).toBe(agent);
  }
  const index = read('recipes/README.md');
  for (const path of RECIPES) if (path !== 'recipes/README.md') expect.soft(index).toContain(`](${basename(path)})`);
});

it.each(AGENTS)('%s: the bare block is the preset, with what its reader fills in', (name) => {
  const preset = parseConfig(presetText(name), '/srv/my-project/agent-runner.toml').config;
  const own = CONFIGS.find(({ place }) => place.startsWith(`recipes/${name}.md:`));
  const { agent, runtime } = loaded(own?.text ?? '').config;
  expect(agent.command.slice(0, preset.agent.command.length)).toEqual(preset.agent.command);
  expect(agent.prompt_arg_template).toEqual(preset.agent.prompt_arg_template);
  expect(agent.prompt_delivery).toBe(preset.agent.prompt_delivery);
  // A matter of taste, which a recipe does not prescribe.
  const { CLAUDE_CODE_EFFORT_LEVEL: _effort, ...env } = preset.agent.env;
  expect(agent.env).toMatchObject(env);
  expect(runtime.grace_kill_ignore_patterns).toEqual(preset.runtime.grace_kill_ignore_patterns);
});

it.each(CONFIGS)('$place loads, without a problem and without a warning', ({ text }) => {
  expect(loaded(text).warnings).toEqual([]);
});

describe.each(containers)('$place, the prefix', ({ place, agent }) => {
  const { exec_prefix: prefix, env } = agent;
  const names = prefix.flatMap((token, i) => (token === '-e' ? [prefix[i + 1] ?? ''] : []));

  it('is the one that init writes for such an agent', () => {
    const cli = prefix[0] as 'docker' | 'podman';
    const image = prefix.at(-1) ?? '';
    const secrets = names.filter((name) => !name.includes('=') && !(name in env));
    const facts = {
      cli,
      image,
      uid: 1000,
      gid: 1000,
      keepId: cli === 'podman',
      credentials: secrets,
      env: Object.keys(env),
      stopTimeoutS: 10,
    };
    const written = loaded(`[agent]\ncommand = ["x"]\nprompt_delivery = "stdin"\n${execPrefixToml(facts)}${REST}`).config.agent;
    expect(prefix).toEqual(written.exec_prefix);
  });

  it('lets every variable of [agent.env] in, no value of a secret, and the usual key of its agent', () => {
    expect(names).toEqual(expect.arrayContaining(Object.keys(env)));
    expect(names.filter((name) => name.includes('='))).toEqual(['HOME=/home/agent']);
    const { credentials } = agentImage(basename(agent.command[0]));
    if (agent.account === null) expect(names).toEqual(expect.arrayContaining([...credentials]));
    expect(prefix.at(-1)).toBe(imageName(basename(agent.command[0])));
    expect(place).toBeTruthy();
  });
});

const REST = '[runtime]\nwork_dir = "."\nlog_dir = "/logs"\n[prompt]\nfile = "p.md"\n';
const COMMANDS = BLOCKS.filter(({ language }) => language === 'sh').flatMap(({ place, text }) =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => ({ place, line })),
);

describe('commands', () => {
  const program = buildProgram(() => {});
  const known = new Map(program.commands.map((command) => [command.name(), command.options.flatMap(({ long }) => long ?? [])]));
  const global = program.options.flatMap(({ long }) => long ?? []);
  const inline = FILES.flatMap((path) =>
    [...read(path).matchAll(/`(agent-runner [a-z][^`\n]*)`/g)].map((match) => ({ place: path, line: match[1] ?? '' })),
  );
  const ours = [...COMMANDS, ...inline].flatMap(({ place, line }) =>
    [...line.matchAll(/(?:^|[ ;&])agent-runner ([a-z][^;&|]*)/g)].map((match) => ({ place, words: (match[1] ?? '').trim().split(/\s+/) })),
  );

  it('of agent-runner have verbs and flags that exist', () => {
    expect(ours.length).toBeGreaterThan(30);
    for (const { place, words } of ours) {
      const [verb = '', ...rest] = words;
      if (verb === 'agent-runner' || LATER_VERBS.includes(verb)) continue;
      expect.soft([...known.keys()], `${place}: agent-runner ${words.join(' ')}`).toContain(verb);
      const flags = rest.filter((word) => word.startsWith('--')).map((word) => word.split('=')[0] ?? '');
      expect.soft([...(known.get(verb) ?? []), ...global], `${place}: ${words.join(' ')}`).toEqual(expect.arrayContaining(flags));
    }
  });

  it('that build images name stages and arguments of deploy/Dockerfile, and install what init would', () => {
    const dockerfile = read('deploy/Dockerfile');
    const builds = COMMANDS.filter(({ line }) => /^(docker|podman) build /.test(line));
    expect(builds.length).toBeGreaterThan(AGENTS.length);
    for (const { place, line } of builds) {
      expect.soft(dockerfile, place).toContain(` AS ${/--target (\S+)/.exec(line)?.[1]}\n`);
      for (const [, name] of line.matchAll(/--build-arg (\w+)=/g)) expect.soft(dockerfile, `${place}: ${name}`).toMatch(`ARG ${name}=`);
      const agent = /agent-runner-(\w+):local/.exec(line)?.[1] ?? '';
      expect.soft(/AGENT_INSTALL='([^']*)'/.exec(line)?.[1], place).toBe(agentImage(agent).install);
    }
  });

  it('of Compose name the file that init writes', () => {
    const composed = COMMANDS.filter(({ line }) => line.startsWith('docker-compose'));
    expect(composed.length).toBeGreaterThan(2);
    for (const { line } of composed)
      expect.soft(line).toMatch(/^docker-compose -f deploy\/docker-compose\.yml (up|exec|stop|down|restart)\b/);
  });
});

test('links lead somewhere', () => {
  for (const path of FILES) {
    for (const [, link = ''] of read(path).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^https?:/.test(link)) continue;
      const [file = '', anchor] = link.split('#');
      const target = file === '' ? path : join(dirname(path), file);
      expect.soft(existsSync(join(ROOT, target)), `${path}: ${link}`).toBe(true);
      if (anchor === undefined) continue;
      const anchors = [...read(target).matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
        title
          .toLowerCase()
          .replace(/[^\w\- ]/g, '')
          .replaceAll(' ', '-'),
      );
      expect.soft(anchors, `${path}: ${link}`).toContain(anchor);
    }
  }
});
