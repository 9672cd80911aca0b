import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { blocksOf } from '../markdown.ts';
import { ROOT } from '../sources.ts';

/** What stands between a recipe, taken as its reader would, and the scripted model server. */
export interface Setup {
  name: string;
  /** Written to env_file: the user's key and provider. */
  env: Record<string, string>;
  /** Files below HOME. */
  home?: Record<string, string>;
  /** The page below recipes/, and its block of the bare configuration, from 0. */
  file?: string;
  block?: number;
}

export const MODEL = 'http://127.0.0.1:8099';

const openai = { npm: '@ai-sdk/openai-compatible', options: { baseURL: `${MODEL}/v1`, apiKey: 'dummy' }, models: { 'mock-model': {} } };

const CLAUDE: Setup = {
  name: 'claude',
  env: { ANTHROPIC_API_KEY: 'dummy', ANTHROPIC_BASE_URL: MODEL, CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1' },
};

export const SETUPS = {
  claude: CLAUDE,
  codex: {
    name: 'codex',
    env: { CODEX_API_KEY: 'dummy' },
    home: {
      '.codex/config.toml': `model = "mock-model"\nmodel_provider = "mock"\n[model_providers.mock]\nname = "mock"\nbase_url = "${MODEL}/v1"\nenv_key = "CODEX_API_KEY"\nwire_api = "responses"\nrequest_max_retries = 2\nstream_max_retries = 2\n`,
    },
  },
  gemini: {
    name: 'gemini',
    env: { GEMINI_API_KEY: 'dummy', GOOGLE_GEMINI_BASE_URL: MODEL },
    home: { '.gemini/settings.json': '{"security":{"auth":{"selectedType":"gemini-api-key"}}}' },
  },
  opencode: {
    name: 'opencode',
    env: { ANTHROPIC_API_KEY: 'dummy', OPENCODE_DISABLE_MODELS_FETCH: '1', OPENCODE_DISABLE_LSP_DOWNLOAD: '1' },
    home: { '.config/opencode/opencode.json': JSON.stringify({ small_model: 'mock/mock-model', provider: { mock: openai } }) },
  },
  pi: {
    name: 'pi',
    env: { ANTHROPIC_API_KEY: 'dummy', PI_OFFLINE: '1' },
    home: {
      '.pi/agent/models.json': JSON.stringify({
        providers: { mock: { baseUrl: MODEL, api: 'anthropic-messages', apiKey: 'dummy', models: [{ id: 'mock-model' }] } },
      }),
    },
  },
  qwen: { name: 'qwen', env: { OPENAI_API_KEY: 'dummy', OPENAI_BASE_URL: `${MODEL}/v1`, OPENAI_MODEL: 'mock-model' } },
} as const satisfies Record<string, Setup>;

/** What the recipe leaves to its reader: the provider's address and the model's name. */
const filledIn = (text: string) =>
  text.replace('PROVIDER/MODEL', 'mock/mock-model').replace('https://api.moonshot.ai/anthropic', MODEL).replaceAll('my-project', 'work');

/** The configuration that the recipe prints: bare, or (the block after it) in a container. */
export function recipeConfig({ name, file = name, block = 0 }: Setup, container: boolean): string {
  const configs = blocksOf(`recipes/${file}.md`).filter(({ language }) => language === 'toml');
  return filledIn(configs[block + (container ? 1 : 0)]?.text ?? '');
}

export interface Place {
  folder: string;
  work: string;
  home: string;
  logs: string;
  git(...args: string[]): string;
}

/** A git repository, a home folder and the recipe's configuration, readable for an unprivileged user. The caller removes `folder`. */
export function makePlace(setup: Setup, config: string): Place {
  const folder = mkdtempSync(join(tmpdir(), 'agent-runner-clis-'));
  chmodSync(folder, 0o755);
  const [work, home] = [join(folder, 'work'), join(folder, 'home')];
  mkdirSync(join(work, 'prompts'), { recursive: true });
  mkdirSync(join(home, 'tmp'), { recursive: true });
  const write = (path: string, text: string, mode = 0o644) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text, { mode });
  };
  for (const [name, text] of Object.entries(setup.home ?? {})) write(join(home, name), text);
  const lines = Object.entries(setup.env).map(([name, value]) => `${name}=${value}\n`);
  write(join(home, '.agent-runner/work/env'), lines.join(''), 0o600);
  const prompt = `Add a line to hello.txt with the shell tool, commit, then stop. ${'Work on nothing else. '.repeat(30)}\n`;
  write(join(work, 'prompts/main.md'), prompt);
  write(join(work, 'agent-runner.toml'), config);
  const git = (...args: string[]) => execFileSync('git', ['-c', 'safe.directory=*', '-C', work, ...args], { encoding: 'utf8' }).trim();
  git('init', '-q', '-b', 'main');
  git('config', 'user.name', 'Person');
  git('config', 'user.email', 'person@example.org');
  git('add', '-A');
  git('commit', '-q', '-m', 'set up');
  return { folder, work, home, logs: join(home, '.agent-runner/work/logs'), git };
}

/** The built program and the model server where any user may read them. The caller removes the folder. */
export function copyProgram(): string {
  const folder = mkdtempSync(join(tmpdir(), 'agent-runner-program-'));
  chmodSync(folder, 0o755);
  for (const name of ['dist', 'package.json', 'src/config/presets', 'src/agents/demo', 'test/support/mock-model', 'test/support/clis'])
    cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  return folder;
}

export const remove = (folder: string) => rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
