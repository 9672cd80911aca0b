import { describe, expect, it } from 'vitest';
import type { ProcessEntry } from '../../../src/process/stat.ts';
import { helperPattern, sortCompany } from '../../../src/run/grace.ts';

describe('company of a leader', () => {
  it('works, unless its command line is a helper’s', () => {
    const commands: Record<number, string> = { 50: 'claude', 51: 'node /opt/mcp-server.js --token s3cret', 52: 'make test' };
    const members = [50, 51, 52].map((pid) => ({ pid }) as ProcessEntry);
    const company = sortCompany(
      members,
      ({ pid }) => pid === 50,
      (pid) => commands[pid] ?? '',
      [/mcp-server/],
    );
    expect(company.working.map(({ pid }) => pid)).toEqual([52]);
    expect(company.ignored.map(({ member, matched }) => [member.pid, matched])).toEqual([[51, 'mcp-server']]);
  });

  it('matches the same every time, also with a pattern that has state', () => {
    const pattern = /helper/g;
    expect([1, 2, 3].map(() => helperPattern('a helper', [pattern]))).toEqual(['helper', 'helper', 'helper']);
    expect(helperPattern('a worker', [pattern])).toBeNull();
  });

  it.each([
    ['catatonit -P', true],
    ['/usr/libexec/podman/catatonit -P', true],
    ['/usr/bin/podman pause', true],
    ['catatonit -- make test', false],
    ['podman pause my-container', false],
    ['sh -c catatonit -P', false],
  ])("podman's pause process is nobody's work: %s", (commandLine, isHelper) => {
    expect(helperPattern(commandLine, []) !== null).toBe(isHelper);
  });
});
