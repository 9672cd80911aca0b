import type { RunSpec } from './types.ts';

export interface Launch {
  argv: [string, ...string[]];
  env: Record<string, string>;
}

/**
 * A process joins a control group by writing its own pid there, before it becomes the agent: one that is moved from outside leaves its
 * first children behind. A group that cannot be joined must not cost the round. The braces keep even the shell's own complaint quiet.
 */
const JOIN_LEAF = '{ echo $$ > "$1"; } 2>/dev/null; shift; ';
const BECOME = 'exec "$@"';
/** Only where there are no FIFOs: one socket for both streams needs a shell to join them. */
const JOIN_STREAMS = ' 2>&1';
/**
 * The first process of a PID namespace. The kernel keeps every signal from it for which it has no handler, so an agent in this place would
 * ignore TERM; and a change of its user would undo what binds it to unshare outside. A shell that waits for the agent ignores what it is
 * meant to ignore, reaps orphans, and keeps the exit code (128 + n for a signal). The traps are for the shell alone, the agent gets the
 * defaults: dash would end itself by an INT that its child has answered with exit 0. See docs/decisions/pid-namespace.md.
 */
const STAY_AND_WAIT = 'trap : INT TERM HUP QUIT; "$@"; exit "$?"';

/** What is really executed for this run: the agent itself, or a shell that becomes it, or a namespace around it. Pure. */
export function launchOf({ argv, env, leaf, pidNamespace }: RunSpec, joinStreams: boolean): Launch {
  const outer = leaf !== undefined || joinStreams;
  if (!outer && pidNamespace === undefined) return { argv: [...argv], env };
  const { env: carried, restore } = throughShell(env);
  const inner: string[] =
    pidNamespace === undefined ? [...argv] : [...pidNamespace, '/bin/sh', '-c', `${restore}${STAY_AND_WAIT}`, 'sh', ...argv];
  if (!outer) return { argv: inner as Launch['argv'], env: carried };
  const script = [
    leaf === undefined ? '' : JOIN_LEAF,
    pidNamespace === undefined ? restore : '',
    BECOME,
    joinStreams ? JOIN_STREAMS : '',
  ].join('');
  return { argv: ['/bin/sh', '-c', script, 'sh', ...(leaf === undefined ? [] : [leaf.procs]), ...inner], env: carried };
}

const SHELL_NAME = /^[A-Za-z_]\w*$/;

/**
 * A shell such as dash throws away the variables whose names it could not use itself (`a.b`, exported functions of bash). They travel
 * under other names, and env(1) restores them in the last step: not as arguments of anything that stays, since `ps` shows those to everybody.
 */
function throughShell(env: Record<string, string>): { env: Record<string, string>; restore: string } {
  const odd = Object.entries(env).filter(([name]) => !SHELL_NAME.test(name));
  if (odd.length === 0) return { env, restore: '' };
  const kept = Object.entries(env).filter(([name]) => SHELL_NAME.test(name));
  const carriers = odd.map(([name, value], index) => [`AGENT_RUNNER_CARRIED_${index}`, `${name}=${value}`] as const);
  const unset = carriers.map(([carrier]) => `-u ${carrier}`).join(' ');
  const set = carriers.map(([carrier]) => `"$${carrier}"`).join(' ');
  return { env: Object.fromEntries([...kept, ...carriers]), restore: `set -- /usr/bin/env ${unset} ${set} "$@"; ` };
}
