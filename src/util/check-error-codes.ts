/** CHK: start-up checks. Part of `ERROR_CODES`. */
export const CHECK_ERROR_CODES = {
  'AR-CHK-001': {
    title: 'log_dir cannot be written',
    cause: 'The disk is full or read-only, or the folder belongs to another user. It may pass: a round waits and tries again.',
    remedy: 'Free space, or give the user of serve write permission there.',
  },
  'AR-CHK-002': {
    title: 'work_dir is not there',
    cause: '`runtime.work_dir` names no directory. A relative one counts from the folder of the configuration file.',
    remedy: 'Correct it, or create the directory.',
  },
  'AR-CHK-003': {
    title: 'work_dir is no git work tree',
    cause: 'Every round is judged and tidied up by git, so the agent works in a repository.',
    remedy: 'Run `git init` there, or correct `runtime.work_dir`.',
  },
  'AR-CHK-004': {
    title: 'A prompt file cannot be read',
    cause: 'The first file of `[prompt]` is missing, unreadable or not UTF-8. Later files of the list are only skipped with a warning.',
    remedy: 'Create it, or correct `prompt.file` or `prompt.files`.',
  },
  'AR-CHK-005': {
    title: 'The prompt cannot be used',
    cause:
      'It is empty or shorter than 500 bytes, begins with a dash or a blank (a CLI would take it for an option), or is too long for an argument (128 KiB).',
    remedy: 'Put a real task into it; a long one goes by `agent.prompt_delivery = "stdin"`.',
  },
  'AR-CHK-006': {
    title: 'The agent is not on its PATH',
    cause: 'The first word of `agent.exec_prefix` or `agent.command` is no executable on the PATH that the agent will have.',
    remedy: 'Install it, give its absolute path, or set PATH in `[agent.env]`.',
  },
  'AR-CHK-007': {
    title: 'There is no such phase',
    cause: '`round --phase` named a phase that `[phases] list` does not hold.',
    remedy: 'Name one of the list, or leave `--phase` out: then the phase in turn runs.',
  },
  'AR-CHK-009': {
    title: 'git refuses work_dir',
    cause: 'The work tree belongs to another user, and git runs nothing there for safety.',
    remedy: "Give it to the user of serve, or add it to git's `safe.directory`.",
  },
  'AR-CHK-010': {
    title: 'git does not answer',
    cause: 'A git call in work_dir ran into its time-out or failed in a way that may pass.',
    remedy: 'Look at the disk, and at other git processes there.',
  },
  'AR-CHK-011': {
    title: 'git is too old',
    cause:
      'Before version 2.31 git cannot be told to leave filters of a repository switched off, so a planted one would run as the supervisor.',
    remedy: 'Install git 2.31 or newer.',
  },
  'AR-CHK-012': {
    title: 'PID namespaces cannot be had here',
    cause:
      '`runtime.pid_namespace` needs `unshare` of util-linux 2.37 or newer and a kernel that allows it: for an ordinary user by a user namespace, in a container only with CAP_SYS_ADMIN.',
    remedy: 'Do what the message says, or remove the key: the other means of ending a round stay.',
  },
  'AR-CHK-013': {
    title: 'This agent cannot run in a PID namespace',
    cause:
      '`runtime.pid_namespace` is put around `agent.exec_prefix`. A container has a namespace of its own, and sudo cannot change the user inside the user namespace that an ordinary user needs for it.',
    remedy: 'Remove `runtime.pid_namespace`, or the prefix.',
  },
  'AR-CHK-014': {
    title: 'The memory of a round cannot be bounded here',
    cause:
      '`limits.round_memory_max_mb` bounds what the round starts on this host. The processes of a container are not among them, and without /proc nothing can be measured.',
    remedy: 'Remove the key; a container gets its limit from its engine (`--memory`).',
  },
  'AR-CHK-015': {
    title: 'A limit cannot be counted',
    cause:
      'A limit of cost or of tokens is set, and an agent that may run (of a phase, or a fallback) tells none: docs/budgets.md says which CLI tells what.',
    remedy:
      'Remove the limit, or set one that can be counted for all agents: `limits.max_tokens_per_day`, `limits.max_rounds_per_hour`. These bound a day or an hour; without a price nothing bounds the sum of all rounds but their number: `runtime.max_rounds`, `limits.max_unproductive_rounds`.',
  },
} as const;
