import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isLiving } from '../../../src/process/proc.ts';
import { agent, openScene, type Scene } from '../../support/run.ts';

let scene: Scene;
beforeEach(() => {
  scene = openScene();
});
afterEach(() => scene.close());

describe('what the agent writes', () => {
  it('is in the log byte for byte, stdout and stderr in their order, also through /dev/stderr', async () => {
    const report = await scene.run([agent('order.sh')]);
    const numbers = scene.log().trimEnd().split('\n');
    expect(numbers.map((line) => Number.parseInt(line, 10))).toEqual([...Array(200).keys()]);
    expect(numbers[2]).toBe('2 reopened err');
    expect(report).toMatchObject({ end: 'exit', exitCode: 0, outputBytes: scene.log().length, droppedBytes: 0, logError: null });
  });

  it('scar 22: an agent runs in its own directory with exactly the environment that it was given', async () => {
    const { env } = scene.spec(['-']);
    await scene.run(['/usr/bin/env'], { env: { ...env, ONLY: 'this' } });
    const lines = scene.log().trimEnd().split('\n');
    expect(lines.sort()).toEqual(
      [`AGENT_RUNNER_ROUND_ID=${env.AGENT_RUNNER_ROUND_ID}`, 'ONLY=this', `PATH=${env.PATH}`, `SCENE=${scene.folder}`].sort(),
    );
    await scene.run(['/bin/pwd']);
    expect(scene.log()).toContain(scene.folder);
  });

  it('field bug 9: characters that arrive byte by byte are whole in the line and in the log', async () => {
    const text = '{"type":"text","text":"中文 🦊 naïve"}';
    const lines: string[] = [];
    const report = await scene.run([agent('bytewise.py'), text], { lines: 'json', onLine: (line) => void lines.push(line) });
    expect(lines).toEqual([text]);
    expect(scene.log()).toBe(`${text}\n`);
    expect(report.tail).toBe(`${text}\n`);
  });

  it('an agent that closes its streams lives on: its exit ends the run, not the end of its output', async () => {
    const report = await scene.run([agent('close-stdout.sh')]);
    expect(report).toMatchObject({ end: 'exit', exitCode: 5, tail: 'before\n' });
    expect(report.durationMs).toBeGreaterThan(600);
    expect(readFileSync(join(scene.folder, 'alive'), 'utf8')).toBe('yes\n');
  });

  it('field bug 1: a grandchild that holds the pipe does not hold the run', async () => {
    const seen: string[] = [];
    const report = await scene.run([agent('hold-pipe.sh')], {
      onLine: (line) => {
        seen.push(line);
        return line.includes('"type":"result"') ? 'result' : undefined;
      },
    });
    const holder = await scene.processOf('holder');
    expect(report).toMatchObject({ end: 'exit', exitCode: 0, resultSeen: true });
    expect(seen).toHaveLength(1);
    expect(report.durationMs).toBeLessThan(2_000);
    expect(report.receipt.signalled.map(({ pid }) => pid)).toEqual([holder.pid]);
    expect(report.receipt).toMatchObject({ leftovers: [{ pid: holder.pid, name: 'sleep' }], survivors: [] });
    expect(isLiving(holder)).toBe(false);
  });

  it('a last line without a newline is handed on too', async () => {
    const lines: string[] = [];
    await scene.run(['/bin/sh', '-c', 'printf "one\\ntwo"'], { onLine: (line) => void lines.push(line) });
    expect(lines).toEqual(['one', 'two']);
  });

  it('an error that a callback throws ends the run first and is handed on then', async () => {
    const run = scene.run(['/bin/sh', '-c', 'echo $$ > "$SCENE/leader"; echo line; exec sleep 300'], {
      onLine: () => {
        throw new Error('from the callback');
      },
    });
    await expect(run).rejects.toThrow('from the callback');
    expect(isLiving(await scene.processOf('leader'))).toBe(false);
    await expect(
      scene.run(['/bin/sleep', '300'], {
        onSpawned: () => {
          throw new Error('not durable');
        },
      }),
    ).rejects.toThrow('not durable');
  });
});
