import { describe, expect, it } from 'vitest';
import { parsePs } from '../../../src/process/ps.ts';

const MACOS = `    1     0     1 Ss     4:12.53 Mon Nov 23 09:12:01 2026     launchd
  501   499   499 S+     0:00.05 Sun Nov 29 17:34:14 2026     node
  777     1   777 Z      0:00.00 Sun Nov 29 17:35:00 2026     (sh)
 8001   501   499 R      1:02:03.50 Sun Nov  1 07:35:00 2026     Google Chrome He
`;

describe('the process table by ps', () => {
  it('is read as macOS prints it', () => {
    const [launchd, node, zombie, helper, ...more] = parsePs(MACOS);
    expect(launchd).toMatchObject({ pid: 1, ppid: 0, pgid: 1, comm: 'launchd', cpuTicks: 25_253 });
    expect(node).toMatchObject({ pid: 501, ppid: 499, pgid: 499, sid: 0, state: 'S', cpuTicks: 5, comm: 'node' });
    expect(node?.startTicks).toBe(new Date(2026, 10, 29, 17, 34, 14).getTime() / 1000);
    expect(zombie).toMatchObject({ state: 'Z' });
    expect(helper).toMatchObject({ comm: 'Google Chrome He', cpuTicks: 372_350 });
    expect(more).toEqual([]);
  });

  it('is read as procps prints it', () => {
    const [entry] = parsePs('  123     1   123 Ssl  1-02:03:04 Sun Nov 29 17:34:14 2026 some daemon\n');
    expect(entry).toMatchObject({ pid: 123, comm: 'some daemon', cpuTicks: 9_378_400 });
  });

  it('what is no such line is skipped', () => {
    expect(parsePs('PID PPID\nps: illegal option\n\n 1 2\n')).toEqual([]);
  });
});
