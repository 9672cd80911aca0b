import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Profile } from '../../../src/config/profile.ts';
import { agentArgv } from '../../../src/round/argv.ts';

const agent = (part: Partial<Profile['agent']>) =>
  ({
    command: ['claude', '--verbose'],
    prompt_arg_template: ['-p'],
    prompt_delivery: 'stdin',
    exec_prefix: [],
    ...part,
  }) as Profile['agent'];

describe('the argv of an agent', () => {
  it('puts the prompt into every token that asks for it', () => {
    const argv = agentArgv(agent({ prompt_delivery: 'argv', prompt_arg_template: ['--m={prompt}', '{prompt}'] }), 'do it', '/w');
    expect(argv).toEqual(['claude', '--verbose', '--m=do it', 'do it']);
  });

  it('scar 21, reference case 6: a prompt that goes by stdin never reaches argv', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 8 }), (prompt) => {
        const argv = agentArgv(agent({ prompt_arg_template: ['-p', '{prompt}'] }), prompt, '/w');
        expect(argv).toEqual(['claude', '--verbose', '-p']);
      }),
    );
  });

  it('reference case 5: without {work_dir} in the prefix nothing is touched', () => {
    const prefix = ['nice', '-n', '5', '--', '$&', '{prompt}'];
    expect(agentArgv(agent({ exec_prefix: prefix }), 'p', '/w')).toEqual([...prefix, 'claude', '--verbose', '-p']);
  });

  it('puts work_dir into the prefix alone, dollar signs and all', () => {
    const argv = agentArgv(agent({ exec_prefix: ['run', '-v', '{work_dir}:/work'], command: ['x', '{work_dir}'] }), '', '/a $& b');
    expect(argv).toEqual(['run', '-v', '/a $& b:/work', 'x', '{work_dir}', '-p']);
  });
});
