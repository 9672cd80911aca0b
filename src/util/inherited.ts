/**
 * Variables of the supervisor's own world that must not reach an agent or a hook: they would make it talk to our service manager,
 * believe that it runs inside another agent, write to another repository or run under another Node's options.
 */
const STRIPPED = new Set(['NOTIFY_SOCKET', 'JOURNAL_STREAM', 'CLAUDECODE', 'GIT_DIR', 'GIT_INDEX_FILE', 'GIT_WORK_TREE', 'NODE_OPTIONS']);
const STRIPPED_PREFIXES = ['AGENT_RUNNER_', 'WATCHDOG_', 'LISTEN_', 'npm_'];

/** Whether a variable of the supervisor’s environment is taken out before anything that we start for somebody gets it. */
export function isStripped(name: string): boolean {
  return STRIPPED.has(name) || STRIPPED_PREFIXES.some((prefix) => name.startsWith(prefix));
}
