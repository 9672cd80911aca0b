import { appendFileSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readFrom } from '../../../src/events/reader.ts';
import { openEvents } from '../../../src/events/writer.ts';
import { runCommand } from '../../../src/process/command.ts';
import { systemClock } from '../../../src/util/clock.ts';
import { redactor } from '../../../src/util/redact.ts';
import { testClock } from '../../support/clock.ts';
import { testFolder } from '../../support/folder.ts';
import { startScript } from '../../support/node.ts';
import { requirePart } from '../../support/parts.ts';
import { testTmpfs } from '../../support/tmpfs.ts';
import { until } from '../../support/wait.ts';

const NOVEMBER = 'events-2026-11.jsonl';

function kinds(logDir: string): string[] {
  return readFrom(logDir, null).events.map(({ event }) => event);
}

describe('the event log', () => {
  it('appends one line for each event to the file of the UTC month', () => {
    const logDir = testFolder();
    const clock = testClock(Date.UTC(2026, 10, 30, 23, 59, 59, 999));
    const { emit } = openEvents(logDir, clock);
    emit('round_end', { round_num: 1 });
    clock.set(Date.UTC(2026, 11, 1));
    emit('round_end', { round_num: 2 });
    expect(readFileSync(join(logDir, NOVEMBER), 'utf8')).toBe('{"ts":"2026-11-30T23:59:59.999Z","event":"round_end","round_num":1}\n');
    expect(readFileSync(join(logDir, 'events-2026-12.jsonl'), 'utf8')).toBe(
      '{"ts":"2026-12-01T00:00:00.000Z","event":"round_end","round_num":2}\n',
    );
  });

  it('ends a torn last line before it writes its own', () => {
    const logDir = testFolder();
    const { emit } = openEvents(logDir, testClock());
    writeFileSync(join(logDir, NOVEMBER), '{"ts":"2026-11-01T00:00:00.000Z","event":"roun');
    emit('round_end', { round_num: 1 });
    appendFileSync(join(logDir, NOVEMBER), '{"ts":"20');
    emit('round_end', { round_num: 2 });
    expect(readFileSync(join(logDir, NOVEMBER), 'utf8').split('\n')).toHaveLength(5);
    expect(readFrom(logDir, null).events.map(({ round_num }) => round_num)).toEqual([1, 2]);
  });

  it('takes out the values of the environment that it is told', () => {
    const logDir = testFolder();
    openEvents(logDir, testClock(), { redact: redactor(['correct-horse']) }).emit('config_broken', { reason: 'no correct-horse' });
    expect(readFrom(logDir, null).events[0]?.reason).toBe('no [redacted]');
  });

  it('two processes append 10,000 events each at once: every line is whole, in its writer’s order', { timeout: 60_000 }, async () => {
    const logDir = testFolder();
    const writers = ['a', 'b'].map((name) => startScript('append-events.ts', logDir, name, '10000'));
    expect(await Promise.all(writers.map(({ ended }) => ended))).toEqual([0, 0]);
    const [name = ''] = readdirSync(logDir);
    const lines = readFileSync(join(logDir, name), 'utf8')
      .split('\n')
      .filter((line) => line !== '');
    expect(lines).toHaveLength(20_000);
    const seen = { a: 0, b: 0 };
    for (const line of lines) {
      const [writer = '', n, body] = (JSON.parse(line).reason as string).split(':');
      expect(Number(n)).toBe(seen[writer as 'a' | 'b']++);
      expect(body).toBe('x'.repeat((Number(n) * 37) % 1500));
    }
    // Nobody could write that fast one after the other: they did mix.
    const changes = lines.filter((line, at) => at > 0 && line.includes('"a:') !== lines[at - 1]?.includes('"a:')).length;
    expect(changes).toBeGreaterThan(2);
  });
});

describe('an event that does not fit its schema', () => {
  const writer = new URL('../../../src/events/writer.ts', import.meta.url).href;
  const clock = new URL('../../../src/util/clock.ts', import.meta.url).href;

  async function emitWrong(env: NodeJS.ProcessEnv) {
    const code = `import { openEvents } from '${writer}'; import { systemClock } from '${clock}';
      openEvents(${JSON.stringify(testFolder())}, systemClock).emit('round_end', { roundNum: 1 });`;
    return runCommand([process.execPath, '--import', import.meta.resolve('tsx'), '--input-type=module', '-e', code], {
      env: { ...process.env, VITEST: '', ...env },
    });
  }

  it('ends the program loudly in development and costs nothing otherwise', async () => {
    const loud = await emitWrong({ AGENT_RUNNER_VALIDATE: '1' });
    expect(loud.code).toBe(1);
    expect(loud.stderr).toContain('event round_end: round_num');
    expect((await emitWrong({})).code).toBe(0);
  });
});

describe('field bug 10: an event that cannot be written', () => {
  it('costs nothing but a later word: a folder that vanishes and comes back', () => {
    const logDir = join(testFolder(), 'logs');
    const events = openEvents(logDir, testClock());
    events.emit('round_end', { round_num: 1 });
    expect(events.flush()).toBe(false);
    events.emit('round_end', { round_num: 2 });
    mkdirSync(logDir);
    events.emit('round_end', { round_num: 3 });
    expect(kinds(logDir)).toEqual(['round_end', 'round_end', 'round_end', 'events_degraded']);
    expect(readFrom(logDir, null).events.at(-1)).toMatchObject({ lost: 0, delayed: 2, error: 'ENOENT' });
    expect(events.lost).toBe(0);
    events.emit('round_end', { round_num: 4 });
    expect(kinds(logDir).filter((kind) => kind === 'events_degraded')).toHaveLength(1);
  });

  it('a full disk: the round goes on, the newest events come late, the count of the lost ones is told once', async (context) => {
    requirePart(context, 'tmpfs');
    const logDir = await testTmpfs('64k');
    const events = openEvents(logDir, testClock());
    writeFileSync(join(logDir, 'filler'), '');
    try {
      for (;;) appendFileSync(join(logDir, 'filler'), Buffer.alloc(1024));
    } catch {
      // Full to the last byte.
    }
    for (let n = 0; n < 600; n++) events.emit('round_end', { round_num: n });
    expect(events.lost).toBeGreaterThanOrEqual(99);
    rmSync(join(logDir, 'filler'));
    expect(events.flush()).toBe(true);
    const { events: found } = readFrom(logDir, null);
    expect(found.at(-1)).toMatchObject({ event: 'events_degraded', lost: events.lost, error: 'ENOSPC' });
    expect(found.at(-2)).toMatchObject({ round_num: 599 });
    expect(found.length + events.lost).toBe(601);
    const numbers = found.slice(0, -1).map(({ round_num }) => round_num as number);
    expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
  });

  it('a line that only half fits is not half an event: it comes whole, later', async (context) => {
    requirePart(context, 'tmpfs');
    const logDir = await testTmpfs('16k');
    const events = openEvents(logDir, testClock());
    for (let n = 0; n < 30; n++) events.emit('config_broken', { reason: `${n} ${'y'.repeat(1500)}` });
    const before = readFrom(logDir, null).events.length;
    expect(before).toBeLessThan(30);
    await runCommand(['mount', '-o', 'remount,size=1m', logDir]);
    expect(events.flush()).toBe(true);
    const { events: found } = readFrom(logDir, null);
    expect(found.slice(0, 30).map(({ reason }) => Number.parseInt(reason as string, 10))).toEqual(Array.from({ length: 30 }, (_, n) => n));
    expect(found[30]).toMatchObject({ event: 'events_degraded', lost: 0, delayed: 30 - before });
  });

  it('a read-only file system throws nothing', async (context) => {
    requirePart(context, 'tmpfs');
    const logDir = await testTmpfs('64k');
    const events = openEvents(logDir, testClock());
    await runCommand(['mount', '-o', 'remount,ro', logDir]);
    events.emit('round_end', { round_num: 1 });
    expect(events.flush()).toBe(false);
    await runCommand(['mount', '-o', 'remount,rw', logDir]);
    events.emit('round_end', { round_num: 2 });
    expect(kinds(logDir)).toEqual(['round_end', 'round_end', 'events_degraded']);
  });

  it('is tried again by itself, at its pace and without CPU', async () => {
    const logDir = join(testFolder(), 'logs');
    const events = openEvents(logDir, systemClock, { retryMs: 50 });
    events.emit('round_end', { round_num: 1 });
    const before = process.cpuUsage();
    await systemClock.sleep(1_000);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(300);
    mkdirSync(logDir);
    await until('the event is there', () => kinds(logDir).length === 2);
  });

  it('what lies in the place of the file is set aside: a FIFO blocks nobody, a link leads nowhere, a folder is no end', async () => {
    const logDir = testFolder();
    const path = join(logDir, NOVEMBER);
    const { emit } = openEvents(logDir, testClock());
    await runCommand(['mkfifo', path]);
    emit('round_end', { round_num: 1 });
    expect(kinds(logDir)).toEqual(['round_end']);
    rmSync(path);
    rmSync(`${path}.set-aside`);

    symlinkSync('victim', path);
    emit('round_end', { round_num: 2 });
    expect(existsSync(join(logDir, 'victim'))).toBe(false);
    expect(lstatSync(path).isFile()).toBe(true);
    rmSync(path);
    rmSync(`${path}.set-aside`);

    mkdirSync(path);
    emit('round_end', { round_num: 3 });
    expect(kinds(logDir)).toEqual(['round_end']);
  });
});
