import { mkdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../../src/config/load.ts';
import { openDiskBook } from '../../../src/host/disk/book.ts';
import { openAdmission } from '../../../src/serve/admission.ts';
import { askGates } from '../../../src/serve/gates/list.ts';
import { writeJson } from '../../../src/state/atomic.ts';
import { layout } from '../../../src/state/layout.ts';
import { readNeedsHuman } from '../../../src/state/serve-state.ts';
import { testClock } from '../../support/clock.ts';
import { testFolder } from '../../support/folder.ts';
import { MB, sample } from '../host/memory/samples.ts';

const GB = 1024 * MB;
const TEXT =
  '[agent]\ncommand = ["claude"]\nprompt_arg_template = ["{prompt}"]\n[runtime]\nwork_dir = "."\nlog_dir = "/logs"\n[prompt]\nfile = "p.md"\n';

function scene(asked: readonly string[] = []) {
  const events: [string, Record<string, unknown>][] = [];
  const emit = ((kind: string, fields: Record<string, unknown>) => void events.push([kind, fields])) as never;
  const clock = testClock(0);
  const machine = { sample: sample({ pressure: { some: 0, full: 0 } }), free: 50 * GB };
  const paths = layout(testFolder());
  mkdirSync(paths.state);
  const entries = asked.map((reason) => ({ reason, since: '2026-11-29T12:00:00.000Z', message: '', command: 'agent-runner wake' }));
  writeJson(paths.needsHuman, { entries });
  const admission = openAdmission({
    emit,
    clock,
    env: { HOME: '/home/a' },
    paths,
    disks: openDiskBook(emit, clock),
    sample: (at) => ({ ...machine.sample, at }),
    space: async (folders) => {
      expect(folders.map(({ of }) => of)).toEqual(['log_dir', 'work_dir', 'TMPDIR', 'HOME']);
      const usedPct = 100 - Math.round((100 * machine.free) / (80 * GB));
      return [
        { of: 'work_dir', folder: '/project', space: { total: 80 * GB, available: machine.free, usedPct, inodes: 0, inodesFree: 0 } },
      ];
    },
  });
  const loaded = parseConfig(TEXT, '/project/agent-runner.toml');
  /** One question to the gates, some seconds after the one before. */
  const ask = async (afterS: number) => {
    clock.set(clock.now() + afterS * 1000);
    const host = await admission.look(loaded);
    const verdict = askGates({ now: clock.now(), pause: null, survivors: [], limits: [], turn: null, wait: null, ...host });
    admission.answered(verdict, host);
    return verdict.open ? 'open' : verdict.reason;
  };
  return { machine, ask, events, kinds: () => events.map(([kind]) => kind), needs: () => readNeedsHuman(paths).entries };
}

describe('the gate before a round', () => {
  it('only critical memory holds a round back; both ends of the episode are told', async () => {
    const { machine, ask, events } = scene();
    machine.sample = sample({ pressure: { some: 50, full: 40 } });
    expect(await ask(0)).toBe('open');
    machine.sample = sample({ pressure: { some: 80, full: 70 } });
    expect([await ask(30), await ask(30), await ask(30)]).toEqual(['memory', 'memory', 'memory']);
    machine.sample = sample({ pressure: { some: 50, full: 40 } });
    expect(await ask(30)).toBe('open');
    expect(events).toEqual([
      ['round_deferred', { severity: 'critical', signal: 'psi_full', message: expect.stringContaining('70 %') }],
      ['round_resumed', { deferred_for_s: 90 }],
    ]);
  });

  it('questions in quick succession do not hide what was swapped out', async () => {
    const { machine, ask } = scene();
    machine.sample = sample({ swappedMb: 0, freeMb: 5 });
    await ask(0);
    machine.sample = sample({ swappedMb: 300, freeMb: 5 });
    expect([await ask(30), await ask(1), await ask(1)]).toEqual(['memory', 'memory', 'memory']);
    expect(await ask(30)).toBe('open');
  });

  it('a full disk comes before memory, and after five minutes a person is asked', async () => {
    const { machine, ask, kinds, needs } = scene();
    machine.free = 2 * GB;
    machine.sample = sample({ pressure: { some: 80, full: 70 } });
    expect(await ask(0)).toBe('disk');
    expect(needs()).toEqual([]);
    for (let n = 0; n < 12; n++) expect(await ask(30)).toBe('disk');
    expect(needs()).toMatchObject([{ reason: 'disk', command: 'agent-runner wake' }]);
    machine.free = 60 * GB;
    machine.sample = sample({ pressure: { some: 0, full: 0 } });
    expect(await ask(30)).toBe('open');
    expect(needs()).toEqual([]);
    expect(kinds()).toEqual(['disk_low', 'needs_human', 'disk_recovered']);
  });

  it('what the serve before asked a person for is taken back when the disk has room again, and no sooner', async () => {
    const { machine, ask, needs } = scene(['disk', 'billing']);
    machine.free = 2 * GB;
    expect(await ask(0)).toBe('disk');
    expect(needs()).toHaveLength(2);
    machine.free = 60 * GB;
    expect(await ask(30)).toBe('open');
    expect(needs()).toMatchObject([{ reason: 'billing' }]);
    const well = scene(['disk']);
    expect(await well.ask(0)).toBe('open');
    expect(well.needs()).toEqual([]);
  });

  it('low is not full: a warning is told and holds nothing back', async () => {
    const { machine, ask, kinds } = scene();
    machine.free = 7 * GB;
    expect(await ask(0)).toBe('open');
    expect(kinds()).toEqual(['disk_low']);
  });
});
