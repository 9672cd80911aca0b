import { execFileSync, spawn } from 'node:child_process';
import { closeSync, copyFileSync, openSync, readFileSync, symlinkSync, utimesSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { cli, testProject } from '../../support/cli.ts';
import { testFolder } from '../../support/folder.ts';
import { peakResident } from '../../support/memory.ts';
import { ROOT } from '../../support/sources.ts';

const fixture = (name: string) => join(ROOT, 'test/fixtures/agents', name);
const explained = async (args: string[]) => {
  const { code, stdout, stderr } = await cli(['--json', 'explain', ...args]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout);
};
const LIMIT = JSON.stringify({
  type: 'result',
  is_error: true,
  api_error_status: 429,
  result: "You've hit your session limit · resets 10:10pm (Europe/Madrid)",
});
const INIT = JSON.stringify({ type: 'system', subtype: 'init', claude_code_version: '2.1.332' });

describe('explain names the line that led to each conclusion', () => {
  it('a limit with its stated end, told for people', async () => {
    const log = join(testFolder(), 'out.log');
    writeFileSync(log, `${INIT}\nsome text\n${LIMIT}\n`);
    const writtenAt = new Date('2026-11-29T12:00:00Z');
    utimesSync(log, writtenAt, writtenAt);
    const { code, stdout } = await cli(['explain', log]);
    expect(code).toBe(0);
    expect(stdout).toContain('out.log: 3 lines, read as claude (by its records)');
    expect(stdout).toContain(
      'limit    rate_limited: the usage limit of the account, until 2026-11-29T21:10:00Z (stated as "resets 10:10pm (Europe/Madrid)")',
    );
    expect(stdout).toContain('         line 3: {"type":"result"');
    expect(stdout).toContain('outcome  rate_limited');
  });

  it.each([
    ['claude/429-maxretries1', 'claude', 'rate_limited', 'limit', 4],
    ['codex/401', 'codex', 'auth_error', 'auth', 7],
    ['codex/400', 'codex', 'provider_error', 'billing', 5],
    ['opencode/429', 'opencode', 'rate_limited', 'limit', 1],
    ['pi/500', 'pi', 'provider_error', 'provider', 30],
    ['qwen/drop', 'qwen', 'provider_error', 'provider', 3],
    ['gemini/401', 'gemini', 'auth_error', 'auth', 3],
    ['pi/newer-429x2', 'pi', 'ok', 'usage', 42],
  ])('%s', async (name, agent, outcome, about, line) => {
    const report = await explained([fixture(`${name}.jsonl`)]);
    expect(report).toMatchObject({ agent, outcome });
    expect(report.conclusions.find((conclusion: { about: string }) => conclusion.about === about)?.evidence?.line).toBe(line);
  });

  it('the words of a failed run, when somebody says that it failed', async () => {
    const log = join(testFolder(), 'plain.log');
    writeFileSync(log, "working\nError: You've hit your usage limit. Try again in 2 hours.\nbye\n");
    const unsure = await explained([log]);
    expect(unsure).toMatchObject({ agent: 'custom', error: null, outcome: null });
    expect(unsure.conclusions[0]).toMatchObject({
      says: expect.stringMatching(/^should the process have failed: rate_limited/),
      evidence: { line: 2 },
    });
    const sure = await explained([log, '--exit-code', '1']);
    expect(sure).toMatchObject({ outcome: 'rate_limited', error: { classification: 'rate_limit_account' } });
    expect(sure.conclusions[0].evidence).toEqual({ line: 2, text: "Error: You've hit your usage limit. Try again in 2 hours." });
  });

  it('secrets in the lines are not shown', async () => {
    const secret = 'sk-ant-api03-0123456789abcdefghijklmnop';
    const log = join(testFolder(), 'secret.log');
    writeFileSync(
      log,
      `${INIT}\n${JSON.stringify({ type: 'result', is_error: true, api_error_status: 401, result: `bad key ${secret}` })}\n`,
    );
    const text = JSON.stringify((await explained([log])).conclusions);
    expect(text).toContain('[redacted]');
    expect(text).not.toContain(secret);
  });
});

it('of a round’s log in its place, the events tell agent, exit code and outcome', async () => {
  const { logDir, write, config } = testProject();
  const log = write('rounds/R7-20261129T120000.log', 'API Error: 401 {"error":"bad"}\n');
  const at = { ts: '2026-11-29T12:00:00.000Z' };
  write(
    'events-2026-11.jsonl',
    [
      { ...at, event: 'round_start', round_num: 7, phase: null, agent: 'kimi' },
      {
        ...at,
        event: 'agent_exit',
        round_num: 7,
        exit_code: 1,
        duration_s: 3,
        timed_out: false,
        exit_cause: 'error',
        outcome: 'auth_error',
      },
      { ...at, event: 'round_start', round_num: 8, phase: null, agent: 'claude' },
    ]
      .map((event) => `${JSON.stringify(event)}\n`)
      .join(''),
  );
  const link = join(logDir, 'round-current.log');
  symlinkSync(log, link);
  for (const name of [log, link]) {
    expect(await explained(['--config', config, name])).toMatchObject({
      agent: 'kimi',
      agent_known: 'by the events beside it',
      exit_code: 1,
      outcome: 'auth_error',
      error: { kind: 'auth_error' },
    });
  }
});

it('--agent: a shipped adapter, or a module of one’s own', async () => {
  const folder = testFolder();
  const module = join(folder, 'mine.mjs');
  writeFileSync(
    module,
    `export default { read() {
      let error = null;
      return {
        line(text) {
          if (!text.startsWith('LIMIT ')) return undefined;
          error = { kind: 'rate_limited', classification: 'rate_limit_account', resetAtEpoch: 1795960000, raw: text };
          return { turn: 'result', error };
        },
        conclude: () => ({ finished: true, error, usage: null }),
      };
    } };`,
  );
  const log = join(folder, 'log');
  writeFileSync(log, 'hello\nLIMIT reached\n');
  expect(await explained([log, '--agent', module])).toMatchObject({
    agent: 'mine',
    outcome: 'rate_limited',
    conclusions: [{ about: 'limit', evidence: { line: 2 } }, {}],
  });
  copyFileSync(fixture('codex/ok.jsonl'), log);
  expect(await explained([log, '--agent', 'claude'])).toMatchObject({ agent: 'claude', agent_known: 'as told' });
  const wrong = await cli(['explain', log, '--agent', 'codx']);
  expect(wrong).toMatchObject({ code: 78, stderr: expect.stringContaining("Did you mean 'codex'?") });
});

it('of a round’s log in its place: the adapter that the configuration names for the fallback that ran', async () => {
  const { folder, config, write } = testProject();
  const module = join(folder, 'mine.mjs');
  writeFileSync(
    module,
    'export default { read: () => ({ line: (text) => (text === "DONE" ? { turn: "result" } : undefined), conclude: () => ({ finished: true, error: null, usage: null }) }) };',
  );
  writeFileSync(
    config,
    `${readFileSync(config, 'utf8')}[[agent.fallback]]\ncommand = ["my-cli"]\nadapter = "./mine.mjs"\nprompt_delivery = "stdin"\n`,
  );
  const log = write('rounds/R7-20261129T120000.log', 'DONE\n');
  const start = {
    ts: '2026-11-29T12:00:00.000Z',
    event: 'round_start',
    round_num: 7,
    phase: null,
    agent: 'my-cli',
    account: 'my-cli',
    fallback: 1,
  };
  write('events-2026-11.jsonl', `${JSON.stringify(start)}\n`);
  const mine = { agent: 'mine', agent_known: 'as agent.adapter says', finished: true };
  expect(await explained(['--config', config, log])).toMatchObject(mine);
  expect(await explained([log, '--agent', 'custom'])).toMatchObject({ agent: 'custom' });

  // An agent may have rewritten it: it would run as the person who asks.
  write('state/hook-programs.json', { accepted: { [module]: 'another digest' }, suspect: false });
  const { code, stdout, stderr } = await cli(['--json', '--config', config, 'explain', log]);
  expect({ code, agent: JSON.parse(stdout).agent }).toEqual({ code: 0, agent: 'custom' });
  expect(stderr).toContain('lies where agents write and was changed');
});

test.each([
  ['there is no such file', 'gone.log'],
  ['directory', '.'],
])('what cannot be read: %s', async (words, name) => {
  const { code, stderr } = await cli(['explain', join(testFolder(), name)]);
  expect(code).toBe(2);
  expect(stderr).toContain(words);
  expect(stderr).toContain('[AR-AGT-004]');
});

test.each(['a FIFO', 'a link to a device without end'])('%s in the place of the log is refused at once', async (what) => {
  const log = join(testFolder(), 'log');
  if (what === 'a FIFO') execFileSync('mkfifo', [log]);
  else symlinkSync('/dev/zero', log);
  const { code, stderr } = await cli(['explain', log]);
  expect(code).toBe(2);
  expect(stderr).toContain('it is not a regular file');
});

it('no log given: that of the newest round', async () => {
  const { config, write } = testProject();
  const none = await cli(['--config', config, 'explain']);
  expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining('no round has left a log') });
  write('rounds/R9-20261129T120000.log', `${INIT}\n`);
  const newest = write('rounds/R10-20261129T130000.log', `${INIT}\n${LIMIT}\n`);
  expect(await explained(['--config', config])).toMatchObject({ log: newest, outcome: 'rate_limited' });
});

it('an empty log, and random bytes', async () => {
  const log = join(testFolder(), 'log');
  writeFileSync(log, '');
  expect(await explained([log])).toMatchObject({ lines: 0, agent: 'custom', outcome: null });
  writeFileSync(log, Buffer.from(Array.from({ length: 100_000 }, (_, at) => (at * 7919) % 256)));
  expect(await explained([log])).toMatchObject({ agent: 'custom' });
});

it('a log of 400 MB with a line of fifty is read in flat memory', async () => {
  const log = join(testFolder(), 'huge.log');
  const file = openSync(log, 'w');
  const said = `${JSON.stringify({ type: 'assistant', message: { model: 'm', content: [{ type: 'text', text: 'word '.repeat(100) }] } })}\n`;
  const block = Buffer.from(`${said}+ usage limit reached|1766502000\n{"type":"user","message":"${'x'.repeat(2000)}"}\n`.repeat(380));
  writeSync(file, `${INIT}\n`);
  for (let written = 0; written < 350_000_000; written += block.length) writeSync(file, block);
  writeSync(file, `{"type":"user","message":"${'y'.repeat(50_000_000)}"}\n${LIMIT}\n`);
  closeSync(file);

  const child = spawn(process.execPath, ['--max-old-space-size=64', join(ROOT, 'dist/main.js'), '--json', 'explain', log], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let stdout = '';
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk;
  });
  const peak = await peakResident({ pid: child.pid ?? 0, child });
  const report = JSON.parse(stdout);
  expect(report).toMatchObject({ agent: 'claude', outcome: 'rate_limited', error: { classification: 'rate_limit_account' } });
  expect(report.conclusions[0].evidence.line).toBe(report.lines);
  expect(peak).toBeLessThan(150 * 1024 * 1024);
}, 90_000);
