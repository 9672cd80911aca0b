import type { Profile } from '../config/profile.ts';

export { resolveBinary } from '../process/find-program.ts';

/** prefix + command + template. In stdin delivery the template is verbatim: the prompt can never reach argv. */
export function agentArgv(agent: Profile['agent'], prompt: string, workDir: string): [string, ...string[]] {
  const prefix = agent.exec_prefix.map((token) => token.replaceAll('{work_dir}', () => workDir));
  const template =
    agent.prompt_delivery === 'argv' && prompt !== ''
      ? agent.prompt_arg_template.map((token) => token.replaceAll('{prompt}', () => prompt))
      : agent.prompt_arg_template.filter((token) => !token.includes('{prompt}'));
  return [...prefix, ...agent.command, ...template] as [string, ...string[]];
}
