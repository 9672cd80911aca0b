import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { peakResident } from '../support/memory.ts';
import { requirePart } from '../support/parts.ts';
import { type Project, project } from '../support/project.ts';
import { mountTmpfs } from '../support/tmpfs.ts';

const MB = 1024 * 1024;
const RESULT = 'echo \'{"type":"result","is_error":false}\'';
const BY_ARGUMENT = { prompt_delivery: 'argv', prompt_arg_template: ['{prompt}'] };
/** So that tests know the size of what the agent gets. */
const BARE = { inject_context: false };

function textOf(bytes: number): string {
  return 'do this task '.repeat(Math.ceil(bytes / 13)).slice(0, bytes);
}

function python(agent: string, ...args: string[]): { command: string[] } {
  return { command: ['/usr/bin/python3', resolve(import.meta.dirname, '../agents', agent), ...args] };
}

describe('a prompt by argument', () => {
  it('field bug 4: 131,071 bytes reach the agent whole', async () => {
    const at = project({
      agent: 'printf %s "$1" | wc -c',
      agentTable: BY_ARGUMENT,
      promptTable: BARE,
      prompt: textOf(131_071),
    });
    expect(await at.run(['round'])).toMatchObject({ code: 0 });
    expect(at.log().trim()).toBe('131071');
  });

  it.each(['round', 'serve'])('field bug 4: with 131,072 bytes %s says 78, the limit and the way out', async (verb) => {
    const at = project({ agentTable: BY_ARGUMENT, promptTable: BARE, prompt: textOf(131_072) });
    const { code, stderr } = await at.run([verb]);
    expect(code).toBe(78);
    expect(stderr).toContain('131071');
    expect(stderr).toContain('prompt_delivery = \\"stdin\\"'.replaceAll('\\', verb === 'serve' ? '\\' : ''));
    expect(stderr).not.toMatch(/^\s+at /m);
    expect(at.events('agent_spawn')).toEqual([]);
  });

  it('field bug 4: the context block that makes it too long is found before the spawn too', async () => {
    const at = project({ agentTable: BY_ARGUMENT, prompt: textOf(131_000) });
    const { code, stderr } = await at.run(['serve']);
    expect(code).toBe(78);
    expect(stderr).toContain('131071');
    expect(at.events('agent_spawn')).toEqual([]);
    expect(at.json('status.json')).toMatchObject({ round_num: 1, running: false });
    expect(at.has('round-in-flight.json')).toBe(false);
  });
});

describe('a prompt by standard input', () => {
  it('reference case 6, scar 20: 8 MB to an agent that never reads them neither hang nor prolong the round', async () => {
    const at = project({ agent: 'sleep 300', prompt: textOf(8 * MB), runtime: { round_timeout_s: 2 } });
    const { code } = await at.run(['round']);
    expect(code).toBe(0);
    expect(at.outcomes()).toEqual(['timeout']);
    expect(at.events('agent_exit')[0]?.duration_s).toBeLessThan(4);
    expect(at.agents()).toEqual([]);
  });

  it('field bug 5: 8 MB to an agent that exits at once, twenty rounds in one serve: each exit is told', async () => {
    // The last thing that this agent does is to wake serve, so that the test waits for no delay.
    const at = project({ agent: `${RESULT}; touch "$AGENT_RUNNER_LOG_DIR/state/wake"; exit 7`, prompt: textOf(8 * MB) });
    const { code } = await at.run(['serve', '--max-rounds', '20'], { timeoutMs: 60_000 });
    expect(code).toBe(0);
    expect(at.events('agent_exit').map(({ exit_code }) => exit_code)).toEqual(Array(20).fill(7));
    expect(at.events('serve_started')).toHaveLength(1);
  });

  it('reference case 6, scar 21, field bug 4: it arrives byte for byte and is in no argument list', async () => {
    const prompt = `${textOf(200_000)}\n— 中文 🦊 "quotes" 'and' \\backslashes\\ $HOME \`x\` NUL-free end\n`;
    const at = project({
      agent: 'cat > "$AGENT_RUNNER_LOG_DIR/got"; tr "\\0" "\\n" < /proc/$$/cmdline > "$AGENT_RUNNER_LOG_DIR/argv"',
      promptTable: BARE,
      prompt,
    });
    await at.run(['round']);
    expect(readFileSync(join(at.logDir, 'got'), 'utf8')).toBe(prompt);
    expect(readFileSync(join(at.logDir, 'argv'), 'utf8')).not.toContain('task');
    expect(JSON.stringify(at.events())).not.toContain('do this task');
  });
});

describe('much output', () => {
  it('field bug 7, field bug 8: 1 GB of lines in flat memory, head and tail kept, the gap told', async (context) => {
    requirePart(context, 'linux', 'python3');
    const at = project({
      agentTable: python('flood.py', 'text', '1000'),
      runtime: { round_timeout_s: 80, round_log_max_mb: 8 },
    });
    const running = at.start(['round'], { nodeArgs: ['--max-old-space-size=128'] });
    const peak = await peakResident(running);
    expect(await running.ended).toMatchObject({ code: 0 });
    expect(at.outcomes()).toEqual(['ok']);
    expect(peak).toBeGreaterThan(20 * MB);
    expect(peak).toBeLessThan(160 * MB);
    expectHeadAndTail(at, 1_000_000_000 + 'FIRST\nLAST\n'.length, 8 * MB);
  });

  it('field bug 8: one line of 100 MB in flat memory', async (context) => {
    requirePart(context, 'linux', 'python3');
    const at = project({ agentTable: python('flood.py', 'line', '100'), runtime: { round_log_max_mb: 8 } });
    const running = at.start(['round'], { nodeArgs: ['--max-old-space-size=128'] });
    const peak = await peakResident(running);
    expect(await running.ended).toMatchObject({ code: 0 });
    expect(peak).toBeLessThan(160 * MB);
    expectHeadAndTail(at, 100_000_000 + 'FIRST\n\nLAST\n'.length, 8 * MB);
  });

  it('field bug 7: 10 MB to each of stdout and stderr at once: all of it is in the log', async (context) => {
    requirePart(context, 'python3');
    const at = project({ agent: '(head -c 10000000 /dev/zero | tr "\\0" e >&2) & head -c 10000000 /dev/zero | tr "\\0" o; wait' });
    await at.run(['round']);
    expect(at.outcomes()).toEqual(['ok']);
    const log = at.log();
    expect(log.replaceAll('e', '').length).toBe(10_000_000);
    expect(log.replaceAll('o', '').length).toBe(10_000_000);
    expect(at.events('round_log_truncated')).toEqual([]);
  });
});

function expectHeadAndTail(at: Project, written: number, most: number): void {
  const log = at.log();
  expect(log.startsWith('FIRST\n')).toBe(true);
  expect(log.endsWith('LAST\n')).toBe(true);
  expect(log.length).toBeLessThanOrEqual(most);
  expect(log.length).toBeGreaterThan(most / 3);
  const [, dropped] = /^\[agent-runner\] (\d+) bytes of output are not kept here.*$/m.exec(log) ?? [];
  expect(at.events('round_log_truncated')).toMatchObject([{ round_num: 1, dropped_bytes: Number(dropped) }]);
  const marker = log.split('\n').find((line) => line.startsWith('[agent-runner] '))?.length ?? 0;
  const missing = written - Number(dropped) - (log.length - marker - 1);
  // The marker may have got a newline of its own before it.
  expect([0, -1]).toContain(missing);
}

describe('what the agent writes', () => {
  it('field bug 9: characters that come byte by byte are whole in the log and in what is read from it', async (context) => {
    requirePart(context, 'python3');
    const usage = { input_tokens: 3, output_tokens: 4 };
    const lines = [
      { type: 'assistant', message: { model: '模型-🦊-naïve', content: [] } },
      { type: 'result', is_error: false, usage, result: '完了 🦊' },
    ].map((line) => JSON.stringify(line));
    const at = project({ agentTable: python('bytewise.py', lines.join('\n')) });
    await at.run(['round']);
    expect(at.log()).toBe(`${lines.join('\n')}\n`);
    expect(at.events('agent_usage_recorded')).toMatchObject([{ model: '模型-🦊-naïve', input_tokens: 3, output_tokens: 4 }]);
  });

  it('is there in its order, stdout and stderr, also through /dev/stderr, /dev/stdout and /proc/self/fd', async () => {
    const at = project({
      agent: `cat >/dev/null; n=0; while [ $n -lt 200 ]; do
        echo "$n out"; echo "$((n+1)) err" >&2; echo "$((n+2)) re-err" > /dev/stderr; echo "$((n+3)) re-out" > /dev/stdout
        echo "$((n+4)) fd" > /proc/self/fd/1; echo "$((n+5)) tee" | tee /dev/stderr > /dev/null; n=$((n+6)); done`,
    });
    await at.run(['round']);
    const numbers = at.log().trimEnd().split('\n');
    expect(numbers.map((line) => Number.parseInt(line, 10))).toEqual([...Array(204).keys()]);
  });

  it('NUL bytes and bytes of no encoding are kept as they are', async () => {
    const at = project({ agent: `cat >/dev/null; printf 'a\\0b\\377\\376c\\n\\0\\0'; printf '{"type":"result","is_error":false}\\n'` });
    await at.run(['round']);
    const [log] = at.events('round_start').map(() => readFileSync(join(at.logDir, 'round-current.log')));
    expect(log?.subarray(0, 9)).toEqual(Buffer.from([0x61, 0, 0x62, 0xff, 0xfe, 0x63, 0x0a, 0, 0]));
    expect(at.outcomes()).toEqual(['ok']);
    expect(await at.run(['peek', '--log'])).toMatchObject({ code: 0 });
  });

  it('an agent that closes its output and lives on is waited for', async () => {
    const at = project({ agent: 'cat >/dev/null; echo before; exec >&- 2>&-; sleep 1.5; touch alive; exit 0' });
    await at.run(['round']);
    expect(at.outcomes()).toEqual(['ok']);
    expect(at.events('agent_exit')[0]?.duration_s).toBeGreaterThan(1.4);
    expect(at.events('dirty_detected')).toMatchObject([{ files: ['alive'] }]);
  });

  it('field bug 1: a grandchild that holds the pipe does not hold the round', async () => {
    const at = project({ agent: `cat >/dev/null; (setsid sleep 300) & ${RESULT}` });
    await at.run(['round']);
    expect(at.outcomes()).toEqual(['ok_leftovers']);
    expect(at.events('round_reaped')[0]?.duration_ms).toBeLessThan(2_000);
    expect(at.events('agent_exit')[0]?.duration_s).toBeLessThan(2);
    expect(at.agents()).toEqual([]);
  });
});

describe('field bug 10: a full disk in the middle of a round', () => {
  it('the round goes on to its end, no state is torn, and what was missed is told when there is space', async (context) => {
    requirePart(context, 'tmpfs');
    const at = project({
      agent: `cat >/dev/null; if [ -e started ]; then echo again; exit 0; fi; touch started
        # So that the next events need a block that the disk does not have.
        events=$(ls "$AGENT_RUNNER_LOG_DIR"/events-*); printf '%*s\\n' $((8150 - $(stat -c %s "$events") % 4096)) '' >> "$events"
        head -c 3000000 /dev/zero | tr '\\0' x; while [ ! -e go ]; do sleep 0.05; done; echo finished > finished; ${RESULT}`,
      vcs: { dirty_action: 'ignore' },
    });
    await mountTmpfs(at.logDir, '1m');
    const running = at.start(['serve', '--max-rounds', '3']);
    await at.event('agent_spawn');
    // The agent has filled it.
    const log = join(at.logDir, 'round-current.log');
    await expect.poll(() => statSync(log, { throwIfNoEntry: false })?.size ?? 0, { timeout: 10_000 }).toBeGreaterThan(700_000);
    writeFileSync(join(at.workDir, 'go'), '');
    await expect.poll(() => at.agents(), { timeout: 10_000 }).toEqual([]);
    expect(readFileSync(join(at.workDir, 'finished'), 'utf8')).toBe('finished\n');
    await expect.poll(() => running.stderr(), { timeout: 10_000 }).toMatch(/AR-STA-001|AR-CHK-001/);
    expect(running.child.exitCode).toBe(null);
    for (const name of ['status.json', 'round-in-flight.json', 'round-context.json']) {
      if (at.has(name)) expect(at.json(name)).toMatchObject({ round_num: 1 });
    }
    rmSync(log);
    rmSync(join(at.logDir, 'rounds'), { recursive: true });
    expect(await running.ended).toMatchObject({ code: 0 });
    expect(at.events('events_degraded')).toMatchObject([{ error: 'ENOSPC', lost: 0 }]);
    expect(running.stderr()).toContain('round 1 ended as ok');
    expect(running.stderr()).not.toContain('internal error');
    const numbers = at.events('round_start').map(({ round_num }) => round_num);
    expect(new Set(numbers).size).toBe(numbers.length);
    expect(await at.run(['peek'])).toMatchObject({ code: 0 });
  });
});
