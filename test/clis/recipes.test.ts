import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { runCommand } from '../../src/process/command.ts';
import { copyProgram, makePlace, type Place, recipeConfig, remove, SETUPS, type Setup } from '../support/clis/setups.ts';
import { type CliName, folderOf, pinned } from '../support/clis/versions.ts';
import { buildImage, must } from '../support/compose.ts';
import { requirePart } from '../support/parts.ts';
import { ROOT } from '../support/sources.ts';

/** The recipes with the real CLIs, two rounds each, as their reader would do it; the container half wants the images that they build. */
const USER = 'nobody';
const MINUTES = 60_000;

const RECIPES: readonly (Setup & { cli: CliName })[] = [
  ...(['claude', 'codex', 'gemini', 'opencode', 'pi', 'qwen'] as const).map((cli) => ({ ...SETUPS[cli], cli })),
  {
    name: 'kimi through the claude preset',
    cli: 'claude',
    file: 'kimi',
    block: 2,
    env: { ANTHROPIC_AUTH_TOKEN: 'dummy', CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1' },
  },
];

function placeOf(setup: Setup, container: boolean): Place {
  const at = makePlace(setup, recipeConfig(setup, container).replace('[runtime]', '[runtime]\nrestart_delay_s = 1'));
  onTestFinished(() => remove(at.folder));
  return at;
}

function expectTwoGoodRounds({ logs, git }: Place, output: string): void {
  const outcomes = readdirSync(logs)
    .filter((name) => name.startsWith('events-'))
    .flatMap((name) => readFileSync(join(logs, name), 'utf8').split('\n'))
    .flatMap((line) => (line.includes('"event":"agent_exit"') ? [JSON.parse(line).outcome as string] : []));
  expect(outcomes, output).toHaveLength(2);
  for (const outcome of outcomes) expect(['ok', 'ok_leftovers'], output).toContain(outcome);
  expect(git('log', '--format=%s').split('\n')).toEqual(['one more hello', 'one more hello', 'set up']);
}

let program = '';
beforeAll(() => {
  program = copyProgram();
});
afterAll(() => remove(program));

describe('bare, as an unprivileged user, with nothing but loopback', () => {
  it.for(RECIPES)('$name', { timeout: 8 * MINUTES }, async (recipe, context) => {
    requirePart(context, 'root', 'unshare', 'setpriv', 'tini', `cli ${recipe.cli}`);
    const at = placeOf(recipe, false);
    const clis = join(at.folder, 'cli');
    await must(['mkdir', clis]);
    await must(['chown', '-R', `${USER}:nogroup`, at.folder]);
    const path = [join(clis, 'bin'), dirname(process.execPath), process.env.PATH].join(delimiter);
    const env = { PATH: path, HOME: at.home, TMPDIR: join(at.home, 'tmp'), LC_ALL: 'C.UTF-8' };
    const { code, stdout, stderr } = await runCommand(
      [
        'bash',
        join(ROOT, 'test/support/loopback.sh'),
        USER,
        join(program, 'test/support/mock-model/main.mjs'),
        process.execPath,
        join(program, 'dist/main.js'),
        'serve',
        '--max-rounds',
        '2',
      ],
      { cwd: at.work, env: { ...env, LOOPBACK_BIND: `${folderOf(recipe.cli)}:${clis}` }, timeoutMs: 7 * MINUTES },
    );
    expect(code, stderr).toBe(0);
    expectTwoGoodRounds(at, stdout + stderr);
  });

  it('claude as root is refused, with the words that its recipe tells', { timeout: MINUTES }, async (context) => {
    requirePart(context, 'root', 'unshare', 'tini', 'cli claude');
    const at = placeOf(SETUPS.claude, false);
    const env = { PATH: [join(folderOf('claude'), 'bin'), process.env.PATH].join(delimiter), HOME: at.home };
    const { code } = await runCommand(
      [
        'bash',
        join(ROOT, 'test/support/loopback.sh'),
        'root',
        join(program, 'test/support/mock-model/main.mjs'),
        process.execPath,
        join(program, 'dist/main.js'),
        'round',
      ],
      { cwd: at.work, env, timeoutMs: MINUTES },
    );
    expect(code).toBe(1);
    const logs = join(at.logs, 'rounds');
    expect(readFileSync(join(logs, readdirSync(logs)[0] ?? ''), 'utf8')).toContain('cannot be used with root/sudo privileges');
  });
});

describe('in a container', () => {
  it.for(RECIPES)('$name', { timeout: 8 * MINUTES }, async (recipe, context) => {
    requirePart(context, 'linux', 'root', 'docker', 'debootstrap', `cli ${recipe.cli}`);
    const image = await imageOf(recipe.cli);
    const at = placeOf(recipe, true);
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
      timeoutMs: 7 * MINUTES,
    });
    expect(code, stderr).toBe(0);
    expectTwoGoodRounds(at, stdout + stderr);
    expect((await must(['docker', 'ps', '-aq', '--filter', `ancestor=${image}`])).trim().split('\n')).toHaveLength(1);
  });
});

/** The image of the recipe, without a network: the CLI comes from the cache of tests, and `AGENT_INSTALL` only links it. */
async function imageOf(cli: CliName): Promise<string> {
  const image = `agent-runner-${cli}:local`;
  const base = `agent-runner-test/cli-${cli}:${pinned(cli).version}`;
  const context = mkdtempSync(join(tmpdir(), 'agent-runner-image-'));
  try {
    await must(['bash', join(ROOT, 'test/support/debian-image.sh'), 'agent-runner-test/debian:1'], { timeoutMs: 5 * MINUTES });
    await must(['cp', '-a', folderOf(cli), join(context, 'cli')]);
    writeFileSync(join(context, 'Dockerfile'), 'FROM agent-runner-test/debian:1\nCOPY cli /opt/cli\n');
    await must(['docker', 'build', '-q', '--network', 'none', '-t', base, context], {
      env: { DOCKER_BUILDKIT: '0' },
      timeoutMs: 5 * MINUTES,
    });
    await buildImage(ROOT, image, 'agent', { BASE_IMAGE: base, AGENT_INSTALL: `ln -s /opt/cli/bin/${cli} /usr/local/bin/${cli}` });
  } finally {
    remove(context);
  }
  return image;
}

/** The scripted server in a container without a network; others share its loopback. */
async function modelContainer(image: string, at: Place): Promise<string> {
  const name = `agent-runner-model-${basename(at.folder).toLowerCase()}`;
  const scripts = `${join(ROOT, 'test/support/mock-model')}:/mock-model:ro`;
  const options = ['-d', '--rm', '--init', '--pull', 'never', '--network', 'none', '--name', name, '-v', scripts];
  await must(['docker', 'run', ...options, image, 'node', '/mock-model/main.mjs']);
  onTestFinished(async () => void (await runCommand(['docker', 'rm', '-f', name])));
  return name;
}
