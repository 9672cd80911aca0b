import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { runCommand } from '../../src/process/command.ts';
import { must } from '../support/compose.ts';
import { blocksOf } from '../support/markdown.ts';
import { requirePart } from '../support/parts.ts';
import { ROOT } from '../support/sources.ts';

/**
 * The recipes with the real CLIs, two rounds each, against a scripted model server. AGENT_RUNNER_TEST_CLIS names a folder with their
 * programs (`node_modules/.bin` of an `npm install` of all six, 1.4 GB); the container half also wants images as the recipes build them.
 * Without these nothing is run here, whatever AGENT_RUNNER_TEST_REQUIRE says: they are too large for every machine.
 */
const CLIS = process.env.AGENT_RUNNER_TEST_CLIS ?? '';
/** An unprivileged user of every Debian. */
const USER = 'nobody';
const MODEL = 'http://127.0.0.1:8099';
const MINUTES = 60_000;

interface Recipe {
  name: string;
  /** Written to env_file: what stands for the user's key and provider. */
  env: Record<string, string>;
  /** Files below HOME. */
  home?: Record<string, string>;
  /** The block of the recipe to take, from 0: bare, then in a container. */
  block?: number;
  file?: string;
}

const provider = { npm: '@ai-sdk/openai-compatible', options: { baseURL: `${MODEL}/v1`, apiKey: 'dummy' }, models: { 'mock-model': {} } };
const CLAUDE = { ANTHROPIC_API_KEY: 'dummy', ANTHROPIC_BASE_URL: MODEL, CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1' };
const RECIPES: Recipe[] = [
  { name: 'claude', env: CLAUDE },
  {
    name: 'codex',
    env: { CODEX_API_KEY: 'dummy' },
    home: {
      '.codex/config.toml': `model = "mock-model"\nmodel_provider = "mock"\n[model_providers.mock]\nname = "mock"\nbase_url = "${MODEL}/v1"\nenv_key = "CODEX_API_KEY"\nwire_api = "responses"\n`,
    },
  },
  {
    name: 'gemini',
    env: { GEMINI_API_KEY: 'dummy', GOOGLE_GEMINI_BASE_URL: MODEL },
    home: { '.gemini/settings.json': '{"security":{"auth":{"selectedType":"gemini-api-key"}}}' },
  },
  {
    name: 'opencode',
    env: { ANTHROPIC_API_KEY: 'dummy', OPENCODE_DISABLE_MODELS_FETCH: '1', OPENCODE_DISABLE_LSP_DOWNLOAD: '1' },
    home: { '.config/opencode/opencode.json': JSON.stringify({ small_model: 'mock/mock-model', provider: { mock: provider } }) },
  },
  {
    name: 'pi',
    env: { ANTHROPIC_API_KEY: 'dummy', PI_OFFLINE: '1' },
    home: {
      '.pi/agent/models.json': JSON.stringify({
        providers: { mock: { baseUrl: MODEL, api: 'anthropic-messages', apiKey: 'dummy', models: [{ id: 'mock-model' }] } },
      }),
    },
  },
  { name: 'qwen', env: { OPENAI_API_KEY: 'dummy', OPENAI_BASE_URL: `${MODEL}/v1`, OPENAI_MODEL: 'mock-model' } },
  {
    name: 'kimi through the claude preset',
    file: 'kimi',
    block: 2,
    env: { ANTHROPIC_AUTH_TOKEN: 'dummy', CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1' },
  },
];

/** What the recipe leaves to its reader: the provider's address and the model's name. */
const filledIn = (text: string) =>
  text.replace('PROVIDER/MODEL', 'mock/mock-model').replace('https://api.moonshot.ai/anthropic', MODEL).replaceAll('my-project', 'work');

function configOf({ name, file = name, block = 0 }: Recipe, container: boolean): string {
  const configs = blocksOf(`recipes/${file}.md`).filter(({ language }) => language === 'toml');
  return filledIn(configs[block + (container ? 1 : 0)]?.text ?? '');
}

interface Place {
  work: string;
  home: string;
  git(...args: string[]): string;
  outcomes(): string[];
}

function place(recipe: Recipe, container: boolean): Place {
  const folder = mkdtempSync(join(tmpdir(), 'agent-runner-recipe-'));
  chmodSync(folder, 0o755);
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [work, home] = [join(folder, 'work'), join(folder, 'home')];
  mkdirSync(join(work, 'prompts'), { recursive: true });
  for (const [name, text] of Object.entries(recipe.home ?? {})) {
    mkdirSync(join(home, name, '..'), { recursive: true });
    writeFileSync(join(home, name), text);
  }
  const env = join(home, '.agent-runner/work/env');
  mkdirSync(join(env, '..'), { recursive: true });
  writeFileSync(
    env,
    Object.entries(recipe.env)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(''),
    { mode: 0o600 },
  );
  writeFileSync(
    join(work, 'prompts/main.md'),
    `Add a line to hello.txt with the shell tool, commit, then stop. ${'Work on nothing else. '.repeat(30)}\n`,
  );
  writeFileSync(join(work, 'agent-runner.toml'), `${configOf(recipe, container).replace('[runtime]', '[runtime]\nrestart_delay_s = 1')}`);
  const git = (...args: string[]) => execFileSync('git', ['-c', 'safe.directory=*', '-C', work, ...args], { encoding: 'utf8' }).trim();
  git('init', '-q', '-b', 'main');
  git('config', 'user.name', 'Person');
  git('config', 'user.email', 'person@example.org');
  git('add', '-A');
  git('commit', '-q', '-m', 'set up');
  const logs = join(home, '.agent-runner/work/logs');
  const outcomes = () =>
    readdirSync(logs)
      .filter((name) => name.startsWith('events-'))
      .flatMap((name) => readFileSync(join(logs, name), 'utf8').split('\n'))
      .flatMap((line) => (line.includes('"event":"agent_exit"') ? [JSON.parse(line).outcome as string] : []));
  return { work, home, git, outcomes };
}

function expectTwoGoodRounds(at: Place, output: string): void {
  expect(at.outcomes(), output).toHaveLength(2);
  for (const outcome of at.outcomes()) expect(['ok', 'ok_leftovers'], output).toContain(outcome);
  expect(at.git('log', '--format=%s').split('\n')).toEqual(['one more hello', 'one more hello', 'set up']);
}

/** The built program where any user may read it. */
let program = '';
beforeAll(() => {
  if (CLIS === '') return;
  program = mkdtempSync(join(tmpdir(), 'agent-runner-program-'));
  chmodSync(program, 0o755);
  for (const name of ['dist', 'package.json', 'src/config/presets', 'src/agents/demo', 'test/support/mock-model.mjs'])
    cpSync(join(ROOT, name), join(program, name), { recursive: true });
});
afterAll(() => {
  if (program !== '') rmSync(program, { recursive: true, force: true });
});

describe.runIf(CLIS !== '')('bare, as an unprivileged user, with nothing but loopback', () => {
  it.each(RECIPES)(
    '$name',
    async (recipe) => {
      const at = place(recipe, false);
      await must(['chown', '-R', `${USER}:nogroup`, join(at.work, '..')]);
      const env = { PATH: `${CLIS}:${process.env.PATH}`, HOME: at.home, TMPDIR: join(at.home, 'tmp'), LC_ALL: 'C.UTF-8' };
      mkdirSync(env.TMPDIR, { mode: 0o777 });
      chmodSync(env.TMPDIR, 0o777);
      const { code, stdout, stderr } = await runCommand(
        [
          'bash',
          join(ROOT, 'test/support/loopback.sh'),
          USER,
          join(program, 'test/support/mock-model.mjs'),
          process.execPath,
          join(program, 'dist/main.js'),
          'serve',
          '--max-rounds',
          '2',
        ],
        { cwd: at.work, env, timeoutMs: 3 * MINUTES },
      );
      expect(code, stderr).toBe(0);
      expectTwoGoodRounds(at, stdout + stderr);
    },
    4 * MINUTES,
  );

  it(
    'claude as root is refused, with the words that its recipe tells',
    async () => {
      const at = place(RECIPES[0] as Recipe, false);
      const env: NodeJS.ProcessEnv = { ...process.env, IS_SANDBOX: undefined, PATH: `${CLIS}:${process.env.PATH}`, HOME: at.home };
      const { code } = await runCommand([process.execPath, join(program, 'dist/main.js'), 'round'], {
        cwd: at.work,
        env,
        timeoutMs: MINUTES,
      });
      expect(code).toBe(1);
      const logs = join(at.home, '.agent-runner/work/logs/rounds');
      expect(readFileSync(join(logs, readdirSync(logs)[0] ?? ''), 'utf8')).toContain('cannot be used with root/sudo privileges');
    },
    MINUTES,
  );
});

describe.runIf(CLIS !== '')('in a container', () => {
  it.for(RECIPES)('$name', { timeout: 4 * MINUTES }, async (recipe, context) => {
    requirePart(context, 'docker');
    const image = `agent-runner-${recipe.file === 'kimi' ? 'claude' : recipe.name}:local`;
    const at = place(recipe, true);
    const config = readFileSync(join(at.work, 'agent-runner.toml'), 'utf8');
    const mock = await modelContainer(image, at);
    const folders = [...new Set(Object.keys(recipe.home ?? {}).map((name) => name.split('/')[0] ?? ''))];

    // The model's place: the network of its container, the names that lead there, and the folders of its provider in HOME.
    const names = Object.keys(recipe.env).filter((name) => !config.includes(`"${name}"`));
    const more = [
      `"--network", "container:${mock}",`,
      ...names.map((name) => `"-e", "${name}",`),
      ...folders.map((name) => `"-v", "${at.home}/${name}:/home/agent/${name}",`),
    ];
    writeFileSync(join(at.work, 'agent-runner.toml'), config.replace('"docker", "run",', `"docker", "run", ${more.join(' ')}`));
    at.git('commit', '-q', '--amend', '--no-edit', '-a');
    await must(['chown', '-R', '1000:1000', at.work, ...folders.map((name) => join(at.home, name))]);
    const trust = { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'safe.directory', GIT_CONFIG_VALUE_0: '*' };
    const { code, stdout, stderr } = await runCommand([process.execPath, join(program, 'dist/main.js'), 'serve', '--max-rounds', '2'], {
      cwd: at.work,
      env: { ...process.env, HOME: at.home, ...trust },
      timeoutMs: 3 * MINUTES,
    });
    expect(code, stderr).toBe(0);
    expectTwoGoodRounds(at, stdout + stderr);
    expect((await must(['docker', 'ps', '-aq', '--filter', `ancestor=${image}`])).trim().split('\n')).toHaveLength(1);
  });
});

/** The scripted server in a container without a network; others share its loopback. */
async function modelContainer(image: string, at: Place): Promise<string> {
  const name = `agent-runner-model-${basename(join(at.work, '..')).toLowerCase()}`;
  const script = `${join(ROOT, 'test/support/mock-model.mjs')}:/mock-model.mjs:ro`;
  const options = ['-d', '--rm', '--init', '--pull', 'never', '--network', 'none', '--name', name, '-v', script];
  await must(['docker', 'run', ...options, image, 'node', '/mock-model.mjs']);
  onTestFinished(async () => void (await runCommand(['docker', 'rm', '-f', name])));
  return name;
}
