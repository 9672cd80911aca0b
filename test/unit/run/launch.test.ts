import { describe, expect, it } from 'vitest';
import type { Leaf } from '../../../src/process/cgroup-leaf.ts';
import { launchOf } from '../../../src/run/launch.ts';
import type { RunSpec } from '../../../src/run/types.ts';

const spec = (changes: Partial<RunSpec>): RunSpec => ({ argv: ['/bin/agent', '-p', 'a b'], env: { PATH: '/bin' }, ...changes }) as RunSpec;
const leaf = { procs: '/cg/round-1/cgroup.procs' } as Leaf;
const pidNamespace = ['/usr/bin/unshare', '--pid', '--'];

describe('what is executed', () => {
  it('is the agent itself when nothing is asked for', () => {
    expect(launchOf(spec({}), false)).toEqual({ argv: ['/bin/agent', '-p', 'a b'], env: { PATH: '/bin' } });
  });

  it('is a shell that joins the group and becomes the agent', () => {
    const { argv } = launchOf(spec({ leaf }), false);
    expect(argv.slice(0, 2)).toEqual(['/bin/sh', '-c']);
    expect(argv[2]).toMatch(/echo \$\$ > "\$1".*shift; exec "\$@"$/);
    expect(argv.slice(3)).toEqual(['sh', leaf.procs, '/bin/agent', '-p', 'a b']);
  });

  it('joins both streams in the same shell', () => {
    expect(launchOf(spec({ leaf }), true).argv[2]).toMatch(/exec "\$@" 2>&1$/);
    expect(launchOf(spec({}), true).argv).toEqual(['/bin/sh', '-c', 'exec "$@" 2>&1', 'sh', '/bin/agent', '-p', 'a b']);
  });

  it('is a namespace with a shell in it that waits for the agent', () => {
    const { argv } = launchOf(spec({ pidNamespace }), false);
    expect(argv.slice(0, 5)).toEqual([...pidNamespace, '/bin/sh', '-c']);
    expect(argv[5]).toMatch(/"\$@"; exit "\$\?"$/);
    expect(argv.slice(6)).toEqual(['sh', '/bin/agent', '-p', 'a b']);
  });

  it('is the group outside and the namespace inside', () => {
    const { argv } = launchOf(spec({ leaf, pidNamespace }), false);
    expect(argv.indexOf(leaf.procs)).toBeLessThan(argv.indexOf('/usr/bin/unshare'));
  });

  it('carries variables that a shell would drop, and leaves the others and every argument as they are', () => {
    const env = { PATH: '/bin', 'a.b': 'secret', 'c-d': '2' };
    for (const changes of [{ leaf }, { pidNamespace }, { leaf, pidNamespace }]) {
      const launch = launchOf(spec({ env, ...changes }), false);
      expect(launch.env).toEqual({ PATH: '/bin', AGENT_RUNNER_CARRIED_0: 'a.b=secret', AGENT_RUNNER_CARRIED_1: 'c-d=2' });
      expect(launch.argv.join(' ')).not.toContain('secret');
      expect(launch.argv.slice(-3)).toEqual(['/bin/agent', '-p', 'a b']);
      expect(launch.argv.filter((word) => word.includes('/usr/bin/env'))).toHaveLength(1);
    }
    expect(launchOf(spec({ env }), false).env).toEqual(env);
  });
});
