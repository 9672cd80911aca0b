import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { adapterOfIdentity } from '../../src/agents/registry.ts';
import { runCommand } from '../../src/process/command.ts';
import { copyProgram, MODEL, makePlace, remove, SETUPS } from '../support/clis/setups.ts';
import { type CliName, folderOf } from '../support/clis/versions.ts';
import { must } from '../support/compose.ts';
import { requirePart } from '../support/parts.ts';
import { ROOT } from '../support/sources.ts';

/** How a CLI is asked one thing, with a provider that takes the credential from the environment and nowhere else. */
interface Asking {
  cli: CliName;
  argv: readonly string[];
  env?: Record<string, string>;
  home?: Record<string, string>;
  /** What the adapter names and this CLI reads. */
  reads: readonly { name: string; home?: Record<string, string>; argv?: readonly string[]; env?: Record<string, string> }[];
}

const anthropicOf = (api: string) => JSON.stringify({ providers: { anthropic: { baseUrl: api } } });
const selected = (type: string) => ({ '.gemini/settings.json': JSON.stringify({ security: { auth: { selectedType: type } } }) });
const codexConfig = `model = "mock-model"\nmodel_provider = "mock"\n[model_providers.mock]\nname = "mock"\nbase_url = "${MODEL}/v1"\nwire_api = "responses"\nrequires_openai_auth = true\nrequest_max_retries = 0\nstream_max_retries = 0\n`;
const opencodeOf = (provider: string) => ({
  '.config/opencode/opencode.json': JSON.stringify({
    small_model: `${provider}/mock-model`,
    provider: { [provider]: { options: { baseURL: `${MODEL}/v1` }, models: { 'mock-model': {} } } },
  }),
});

const dashscope = {
  '.qwen/settings.json': JSON.stringify({
    security: { auth: { selectedType: 'openai' } },
    model: { name: 'mock-model' },
    modelProviders: { openai: [{ id: 'mock-model', envKey: 'DASHSCOPE_API_KEY', baseUrl: `${MODEL}/v1` }] },
  }),
};

const ASKING: readonly Asking[] = [
  {
    cli: 'claude',
    argv: ['claude', '-p', 'hello', '--output-format', 'stream-json', '--verbose'],
    env: { ANTHROPIC_BASE_URL: MODEL, CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', CLAUDE_CODE_MAX_RETRIES: '0' },
    reads: [{ name: 'ANTHROPIC_API_KEY' }, { name: 'ANTHROPIC_AUTH_TOKEN' }, { name: 'CLAUDE_CODE_OAUTH_TOKEN' }],
  },
  {
    cli: 'codex',
    argv: ['codex', 'exec', '--json', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', 'hello'],
    home: { '.codex/config.toml': codexConfig },
    // CODEX_ACCESS_TOKEN is checked with its issuer first, which is not here.
    reads: [{ name: 'CODEX_API_KEY' }],
  },
  {
    cli: 'gemini',
    argv: ['gemini', '--yolo', '--skip-trust', '-o', 'stream-json', '-m', 'gemini-2.5-flash', '-p', 'hello'],
    env: { GOOGLE_GEMINI_BASE_URL: MODEL, GOOGLE_VERTEX_BASE_URL: MODEL },
    reads: [
      { name: 'GEMINI_API_KEY', home: selected('gemini-api-key') },
      { name: 'GOOGLE_API_KEY', home: selected('vertex-ai'), env: { GOOGLE_GENAI_USE_VERTEXAI: 'true' } },
    ],
  },
  {
    cli: 'opencode',
    argv: ['opencode', 'run', '--format', 'json', 'hello', '--model'],
    env: { OPENCODE_DISABLE_MODELS_FETCH: '1', OPENCODE_DISABLE_LSP_DOWNLOAD: '1', OPENCODE_DISABLE_AUTOUPDATE: '1' },
    reads: [
      { name: 'ANTHROPIC_API_KEY', home: opencodeOf('anthropic'), argv: ['anthropic/mock-model'] },
      { name: 'OPENAI_API_KEY', home: opencodeOf('openai'), argv: ['openai/mock-model'] },
      { name: 'OPENROUTER_API_KEY', home: opencodeOf('openrouter'), argv: ['openrouter/mock-model'] },
      { name: 'OPENCODE_API_KEY', home: opencodeOf('opencode'), argv: ['opencode/mock-model'] },
    ],
  },
  {
    cli: 'pi',
    argv: ['pi', '-p', '--mode', 'json', '--no-session', 'hello', '--model'],
    env: { PI_OFFLINE: '1' },
    reads: [
      { name: 'ANTHROPIC_API_KEY', home: { '.pi/agent/models.json': anthropicOf(MODEL) }, argv: ['anthropic/claude-sonnet-4-5'] },
      { name: 'ANTHROPIC_OAUTH_TOKEN', home: { '.pi/agent/models.json': anthropicOf(MODEL) }, argv: ['anthropic/claude-sonnet-4-5'] },
      { name: 'OPENAI_API_KEY', home: providerOf('openai', `${MODEL}/v1`), argv: ['openai/gpt-5'] },
      { name: 'GEMINI_API_KEY', home: providerOf('google', `${MODEL}/v1beta`), argv: ['google/gemini-2.5-flash'] },
      { name: 'OPENROUTER_API_KEY', home: providerOf('openrouter', `${MODEL}/v1`), argv: ['openrouter/anthropic/claude-sonnet-4'] },
    ],
  },
  {
    cli: 'qwen',
    argv: ['qwen', '--yolo', '--output-format', 'stream-json', '-p', 'hello'],
    env: { OPENAI_BASE_URL: `${MODEL}/v1`, OPENAI_MODEL: 'mock-model' },
    reads: [{ name: 'OPENAI_API_KEY' }, { name: 'DASHSCOPE_API_KEY', home: dashscope }],
  },
];

function providerOf(name: string, baseUrl: string): Record<string, string> {
  return { '.pi/agent/models.json': JSON.stringify({ providers: { [name]: { baseUrl } } }) };
}

let program = '';
beforeAll(() => {
  program = copyProgram();
});
afterAll(() => remove(program));

describe('what the adapters name as credentials reaches the provider', () => {
  const cases = ASKING.flatMap(({ cli, reads, ...rest }) => reads.map((one) => ({ cli, name: one.name, one, ...rest })));

  it.concurrent.for(cases)('$cli: $name', { timeout: 120_000 }, async ({ cli, name, one, argv, env, home }, context) => {
    requirePart(context, 'linux', 'root', 'unshare', 'setpriv', 'tini', 'ip', `cli ${cli}`);
    expect(adapterOfIdentity(cli).credentials.env).toContain(name);
    const at = makePlace({ ...SETUPS[cli as keyof typeof SETUPS], env: {}, home: { ...home, ...one.home } }, '');
    try {
      const log = join(at.folder, 'questions.jsonl');
      writeFileSync(log, '');
      const clis = join(at.folder, 'cli');
      mkdirSync(clis);
      await must(['chown', '-R', 'nobody:nogroup', at.folder]);
      const path = [join(clis, 'bin'), dirname(process.execPath), process.env.PATH].join(delimiter);
      const result = await runCommand(
        [
          'bash',
          join(ROOT, 'test/support/loopback.sh'),
          'nobody',
          join(program, 'test/support/mock-model/main.mjs'),
          ...argv,
          ...(one.argv ?? []),
        ],
        {
          cwd: at.work,
          env: {
            PATH: path,
            HOME: at.home,
            TMPDIR: join(at.home, 'tmp'),
            LC_ALL: 'C.UTF-8',
            MOCK_LOG: log,
            LOOPBACK_BIND: `${folderOf(cli)}:${clis}`,
            ...env,
            ...one.env,
            [name]: `dummy-of-${name}`,
          },
          timeoutMs: 60_000,
        },
      );
      const asked = existsSync(log) ? readFileSync(log, 'utf8') : '';
      expect(asked, `${result.stdout.slice(-2000)}${result.stderr.slice(-2000)}`).toContain(`dummy-of-${name}`);
    } finally {
      remove(at.folder);
    }
  });
});
