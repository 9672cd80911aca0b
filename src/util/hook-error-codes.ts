/** HOK: the user's own programs, in `hooks.*` and `notify.command`. */
export const HOOK_ERROR_CODES = {
  'AR-HOK-001': {
    title: 'A serve_start hook failed',
    cause: 'A command of `hooks.serve_start` could not be started, exited with a code other than 0 or took too long: serve does not begin.',
    remedy:
      '`agent-runner peek --select recent_hook_failures` shows what it said; mend what it looks at, or the hook, and start serve again.',
  },
  'AR-HOK-002': {
    title: 'The program of a hook is not there (warning)',
    cause: 'A command of `hooks.*` or `notify.command` names a program that is not on PATH, does not exist or is not executable.',
    remedy: 'Correct the command, or make the file executable. A relative path begins at work_dir.',
  },
  'AR-HOK-003': {
    title: 'A hook lies where agents write (warning)',
    cause:
      'A file that a hook or `notify.command` executes, or the module of `agent.adapter`, lies in work_dir or log_dir. It runs as the supervisor, outside every container.',
    remedy: 'Move it to a folder that no agent writes to. Where it is, it is not run after a change before `agent-runner ack hooks`.',
  },
} as const;
