/** The words of `agent_exit.outcome`: what a finished round was. Each has its row in the table of consequences. */
export const OUTCOMES = [
  'ok',
  'ok_leftovers',
  'grace_kill',
  'no_output',
  'crash',
  'agent_error',
  'timeout',
  'idle',
  'rate_limited',
  'provider_error',
  'auth_error',
  'mem_terminated',
  'oom_killed',
  'container_error',
  'environment',
  'stopped',
  'config_broken',
] as const;

export type Outcome = (typeof OUTCOMES)[number];
