import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { guardModules, loadAdapter } from '../../../src/agents/load-adapter.ts';
import { followTurn } from '../../../src/agents/turn.ts';
import { RunnerError } from '../../../src/util/errors.ts';
import { ROOT } from '../../support/sources.ts';

const folder = mkdtempSync(join(tmpdir(), 'agent-runner-test-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const module = (name: string, text: string) => {
  mkdirSync(join(folder, 'adapters'), { recursive: true });
  writeFileSync(join(folder, 'adapters', name), text);
  return `adapters/${name}`;
};
const refusal = async (name: string, text: string) => {
  const error = await loadAdapter('mine', module(name, text), folder).catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(RunnerError);
  return error as RunnerError;
};

describe('agent.adapter', () => {
  it('without it, the adapter follows from the name of the command', async () => {
    expect((await loadAdapter('claude', null, '/')).name).toBe('claude');
    expect((await loadAdapter('my-wrapper', undefined, '/')).name).toBe('custom');
  });

  it('the name of a shipped one, whatever the command is called', async () => {
    expect((await loadAdapter('node', 'demo', '/')).name).toBe('demo');
  });

  it('a name that is none is a mistake, not the careful adapter', async () => {
    const error = await loadAdapter('x', 'cluade', '/').catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: 'AR-AGT-001', exit: 'config', remedy: "Did you mean 'claude'?" });
  });

  it('a module of one’s own: relative to work_dir or absolute, as default export or as `adapter`', async () => {
    const text = `{
      cooperativeStop: 'SIGINT', lines: 'json', tokens: true, hosts: ['api.example.org', 7],
      credentials: { env: ['MY_KEY'] },
      read(command) {
        return { line: (line) => (line.includes('end') ? 'result' : undefined), conclude: () => ({ finished: true, error: null, usage: null, command }) };
      },
    }`;
    const byDefault = await loadAdapter('mine', `./${module('one.mjs', `export default ${text}`)}`, folder);
    const byName = await loadAdapter('mine', join(folder, module('two.mjs', `export const adapter = ${text}`)), '/');
    for (const [adapter, name] of [
      [byDefault, 'one'],
      [byName, 'two'],
    ] as const) {
      expect(adapter).toMatchObject({
        name,
        cooperativeStop: 'SIGINT',
        lines: 'json',
        hosts: ['api.example.org'],
        credentials: { env: ['MY_KEY'], files: [] },
        understands: { tokens: true, cost: false },
      });
      expect(adapter.read(['x']).line('the end')).toBe('result');
    }
  });

  it('may use `this` of what it exports, and a class of its own', async () => {
    const path = module(
      'class.mjs',
      'class Mine { name = "mine"; read() { return { line: () => undefined, conclude: () => ({ finished: this.name === "mine" }) }; } }\nexport default new Mine();',
    );
    expect((await loadAdapter('x', path, folder)).read().conclude({ exitCode: 0, tail: '', nowEpoch: 0, zone: 'UTC' })).toEqual({
      finished: true,
    });
  });
});

describe('a module that cannot be used says why, with exit 78', () => {
  it('missing, broken, throwing, and lacking what it imports: AR-AGT-002', async () => {
    const error = await loadAdapter('x', './gone.mjs', folder).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: 'AR-AGT-002', exitCode: 78, message: expect.stringContaining('gone.mjs') });
    expect(await refusal('syntax.mjs', 'export default {')).toMatchObject({
      code: 'AR-AGT-002',
      message: expect.not.stringContaining('\n'),
    });
    expect(await refusal('throws.mjs', 'throw new Error("no\\nway");')).toMatchObject({
      code: 'AR-AGT-002',
      message: expect.stringMatching(/no$/),
    });
    expect(await refusal('lacks.mjs', 'import "not-there-at-all"; export default { read() {} }')).toMatchObject({ code: 'AR-AGT-002' });
  });

  it.each<[string, string, string]>([
    ['no export', 'export const x = 1;', 'exports no adapter'],
    ['not an object', 'export default 7;', 'exports no adapter'],
    ['no read', 'export default {};', 'no function `read`'],
    ['lines', 'export default { read() {}, lines: "some" };', '`lines`'],
    ['a name that is no text', 'export default { read() {}, name: 7 };', '`name`'],
    ['a signal that there is not', 'export default { read() {}, cooperativeStop: "SIGNICE" };', 'SIGNICE'],
    ['a signal that cannot be caught', 'export default { read() {}, cooperativeStop: "SIGKILL" };', 'SIGKILL'],
  ])('%s: AR-AGT-003', async (name, text, words) => {
    expect(await refusal(`${name.replaceAll(' ', '-')}.mjs`, text)).toMatchObject({
      code: 'AR-AGT-003',
      exitCode: 78,
      message: expect.stringContaining(words),
    });
  });
});

it('the example of docs/agents.md works as it stands', async () => {
  const text = /```js\n(export default [\s\S]*?)```/.exec(readFileSync(join(ROOT, 'docs/agents.md'), 'utf8'))?.[1] ?? '';
  const adapter = await loadAdapter('my-cli', module('example.mjs', text), folder);
  expect(adapter).toMatchObject({ name: 'my-cli', cooperativeStop: 'SIGINT', lines: 'json', understands: { tokens: true, cost: false } });
  const retries: string[] = [];
  const turn = followTurn(adapter, { command: ['my-cli'], onRetrying: (what) => retries.push(what) });
  const lines = [
    '{ "torn',
    '{"event":"retry","status":503,"attempt":2}',
    '{"event":"tool","name":"edit","file":"a.ts"}',
    '{"event":"end","limit":true,"resets_at":1900000000,"message":"no more today"}',
  ];
  expect(lines.map((line) => turn.line(line))).toEqual([undefined, undefined, undefined, 'result']);
  expect(retries).toEqual(['503, attempt 2']);
  expect(turn.conclude({ exitCode: 1, tail: '', nowEpoch: 0, zone: 'UTC' })).toEqual({
    finished: true,
    error: { kind: 'rate_limited', classification: 'rate_limit_account', resetAtEpoch: 1_900_000_000, raw: 'no more today' },
    usage: null,
  });
  expect(turn.problem()).toBeNull();
});

describe('plugins.disable', () => {
  it('a disabled adapter gives way to the careful one, by identity and by name; others and modules stay', async () => {
    expect((await loadAdapter('claude', null, '/', ['claude'])).name).toBe('custom');
    expect((await loadAdapter('wrapper', 'claude', '/', ['claude'])).name).toBe('custom');
    expect((await loadAdapter('codex', null, '/', ['claude'])).name).toBe('codex');
  });
});

describe('a module that an agent may have written', () => {
  it('is not loaded; one that runs already goes on', async () => {
    const before = module('before.mjs', 'export default { name: "mine", read: () => ({ line() {}, conclude: () => ({}) }) }');
    const after = module('after.mjs', 'globalThis.planted = true; export default {}');
    await loadAdapter('x', before, folder);
    onTestFinished(() => guardModules(() => true));
    guardModules(() => false);
    await loadAdapter('x', before, folder);
    await expect(loadAdapter('x', after, folder)).rejects.toMatchObject({ code: 'AR-AGT-005', exit: 'config' });
    expect(globalThis).not.toHaveProperty('planted');
  });
});
