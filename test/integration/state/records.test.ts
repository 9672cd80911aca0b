import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { clearInFlight, type InFlight, readInFlight, writeInFlight } from '../../../src/state/in-flight.ts';
import type { InFlightContainer } from '../../../src/state/in-flight-container.ts';
import { layout } from '../../../src/state/layout.ts';
import { readOwner } from '../../../src/state/owner.ts';
import { nextRoundNumber } from '../../../src/state/round-number.ts';
import type { SetAside } from '../../../src/state/set-aside.ts';
import { testFolder } from '../../support/folder.ts';

const RECORD: InFlight = {
  round_num: 12,
  round_id: 'a1',
  token: 'a1',
  owner: 'o1',
  config_digest: 'sha256:00',
  started_at: '2026-11-29T17:35:08.123Z',
  boot_id: 'b1',
  pid_ns: '4026531836',
  supervisor_pid: 77,
  log_path: '/x/rounds/R12.log',
  container: null,
};

const CONTAINER: InFlightContainer = {
  runtime: 'docker',
  control: ['sudo', 'docker'],
  cwd: '/work',
  env: { DOCKER_HOST: 'unix:///x' },
  cidfile: '/state/cid',
  cidfile_is_operators: false,
  folder: '/state',
};

describe('the in-flight record', () => {
  it('is written before the process exists, completed afterwards, and removed', () => {
    const paths = layout(testFolder());
    expect(readInFlight(paths)).toBeNull();
    writeInFlight(paths, RECORD);
    expect(readInFlight(paths)).toEqual(RECORD);
    const complete = { ...RECORD, pid: 4711, start_ticks: 99, container: CONTAINER };
    writeInFlight(paths, complete);
    expect(readInFlight(paths)).toEqual(complete);
    clearInFlight(paths);
    clearInFlight(paths);
    expect(readInFlight(paths)).toBeNull();
  });

  it.each([
    ['torn', '{"round_num": 1'],
    ['not a record', '{"hello": 1}'],
    ['without its token', JSON.stringify({ ...RECORD, token: '' })],
    ['of another shape', '[1, 2]'],
  ])('one that is %s is set aside and told, never a crash', (_what, content) => {
    const paths = layout(testFolder());
    writeFileSync(paths.inFlight, content);
    const told: SetAside[] = [];
    expect(readInFlight(paths, (found) => told.push(found))).toBeNull();
    expect(told).toEqual([{ path: paths.inFlight, set_aside: expect.stringContaining('.corrupt-'), reason: expect.any(String) }]);
    expect(readFileSync(told[0]?.set_aside ?? '', 'utf8')).toBe(content);
    expect(existsSync(paths.inFlight)).toBe(false);
  });

  it.each([
    ['no client', { ...CONTAINER, control: [] }, null],
    ['a client that is no list of words', { ...CONTAINER, control: ['docker', 1] }, null],
    ['nothing', null, null],
    [
      'odd values',
      { ...CONTAINER, env: { A: 1 }, cidfile: '', folder: 'relative' },
      { ...CONTAINER, env: {}, cidfile: null, folder: null },
    ],
  ])('a container with %s is read as far as it leads to one', (_what, container, expected) => {
    const paths = layout(testFolder());
    writeFileSync(paths.inFlight, JSON.stringify({ ...RECORD, container }));
    expect(readInFlight(paths)?.container).toEqual(expected);
  });

  it('scar 64: a pid that could not be one is left out, so that the round is looked for by its token', () => {
    const paths = layout(testFolder());
    for (const pid of [0, 1, -1, 1.5, '4711', true, null]) {
      writeFileSync(paths.inFlight, JSON.stringify({ ...RECORD, pid }));
      expect(readInFlight(paths)).toEqual(RECORD);
    }
  });
});

describe('scar 71: the round number comes from the files alone', () => {
  it('from the logs of both kinds, the interrupted round, and the status, with a log_dir that is new too', () => {
    const paths = layout(join(testFolder(), 'logs'));
    expect(nextRoundNumber(paths, 0)).toBe(1);
    mkdirSync(paths.rounds, { recursive: true });
    writeFileSync(join(paths.rounds, 'R3-20261129T173508.log'), '');
    expect(nextRoundNumber(paths, 0)).toBe(4);
    writeFileSync(join(paths.logDir, 'round-8.log'), '');
    expect(nextRoundNumber(paths, 5)).toBe(9);
    writeInFlight(paths, RECORD);
    expect(nextRoundNumber(paths, 5)).toBe(13);
    writeFileSync(paths.inFlight, 'torn');
    expect(nextRoundNumber(paths, 5)).toBe(9);
  });
});

describe('the owner', () => {
  it('is made once and kept; one that is torn is made anew', () => {
    const paths = layout(testFolder());
    const owner = readOwner(paths);
    expect(owner).toMatch(/^[0-9a-f-]{36}$/);
    expect(readOwner(paths)).toBe(owner);
    writeFileSync(paths.owner, owner.slice(0, 20));
    const fresh = readOwner(paths);
    expect(fresh).toMatch(/^[0-9a-f-]{36}$/);
    expect(fresh).not.toBe(owner);
  });
});
