import { AGENT_ERROR_CODES } from './agent-error-codes.ts';
import { CHECK_ERROR_CODES } from './check-error-codes.ts';
import { CONTAINER_ERROR_CODES } from './container-error-codes.ts';
import { HOOK_ERROR_CODES } from './hook-error-codes.ts';
import { INIT_ERROR_CODES } from './init-error-codes.ts';
import { SERVICE_ERROR_CODES } from './service-error-codes.ts';
import { STATE_ERROR_CODES } from './state-error-codes.ts';
import { TOOL_ERROR_CODES } from './tool-error-codes.ts';

interface ErrorEntry {
  title: string;
  cause: string;
  remedy: string;
}

/** Every code that a user may see, by area; docs/troubleshooting.md is generated from it. */
export const ERROR_CODES = {
  // CLI: the command line
  'AR-CLI-001': {
    title: 'Unknown verb',
    cause: 'The first word that is no flag must be one of the verbs.',
    remedy: '`agent-runner --help` lists them.',
  },
  'AR-CLI-002': {
    title: 'Unknown flag or wrong argument',
    cause: 'The verb does not know this flag, a value is missing or malformed, or there is a word too many.',
    remedy: '`agent-runner VERB --help` lists what the verb takes.',
  },
  'AR-CLI-003': {
    title: 'A verb of a later version',
    cause: 'The verb is planned and not built yet.',
    remedy: 'Use what `agent-runner --help` lists, or a newer version.',
  },
  'AR-CLI-004': {
    title: 'Refused inside a round',
    cause: 'The command was started by the agent of a running round, for the log_dir of that very round. Steering is for a person.',
    remedy:
      'Run it from a terminal of your own. An agent that wants the loop to end writes its reason into `$AGENT_RUNNER_LOG_DIR/.agent-done`.',
  },
  'AR-CLI-005': {
    title: 'The project is not known',
    cause: 'There is no configuration file where it was looked for, or it does not tell `runtime.log_dir`.',
    remedy: 'Go to the folder of agent-runner.toml, name the file with `--config`, or mend it.',
  },
  'AR-CLI-006': {
    title: 'Nothing runs here',
    cause: 'The verb speaks to a running serve, and there is none for this log_dir.',
    remedy: '`agent-runner serve` starts it; `agent-runner peek` says how the last one ended.',
  },
  'AR-CLI-007': {
    title: 'A signal may not be sent',
    cause: 'serve runs as another user.',
    remedy: 'Run the command as that user, or as root.',
  },
  'AR-CLI-008': {
    title: 'A word to serve cannot be left',
    cause:
      'Verbs such as pause speak by files under `log_dir/state`, and that folder is not writable for this user or is mounted read-only.',
    remedy: 'Run the command as the user who started serve.',
  },
  'AR-CLI-009': {
    title: 'Nothing of that kind is asked of a person',
    cause: '`ack` was given a reason that is not open.',
    remedy: '`agent-runner ack` without a reason lists the open ones; `all` answers every one of them.',
  },
  'AR-CLI-010': {
    title: 'Not a moment in the future',
    cause: '`pause --until` was given something that is neither a duration, a time of day nor an ISO time, or a time that has passed.',
    remedy: 'Write `2h30m`, `14:30` or `2026-11-30T14:30`.',
  },
  'AR-CLI-011': {
    title: 'The current folder does not exist any more',
    cause: 'It was removed while a shell was in it, so a relative path names nothing.',
    remedy: 'Go to another folder, or name the project by `--config` with an absolute path.',
  },
  'AR-CLI-099': {
    title: 'Internal error',
    cause: 'A bug of agent-runner. In `serve` it counts as a crash of the round.',
    remedy: '`internal-errors.log` in log_dir tells where it happened (so does `AGENT_RUNNER_DEBUG=1`); please report it with that text.',
  },
  // CFG: configuration
  'AR-CFG-001': {
    title: 'The configuration has several problems',
    cause: 'All problems of the file are listed at once, each with its line, its key and a code of its own.',
    remedy: 'Correct them all; `agent-runner round --dry-run` checks the file without starting anything.',
  },
  'AR-CFG-002': {
    title: 'There is no configuration file',
    cause: 'No file lies at the path of `--config`, or there is no `agent-runner.toml` in the current folder.',
    remedy: 'Go to the project’s folder, name the file with `--config`, or write one with `agent-runner init`.',
  },
  'AR-CFG-003': {
    title: 'The configuration file cannot be read',
    cause: 'It is a directory or a device, or this user may not read it.',
    remedy: 'Give the path of the file itself; let the user that runs agent-runner read it and the folders above it.',
  },
  'AR-CFG-004': {
    title: 'The configuration file is too long',
    cause: 'Files over 1 MiB are not read: a configuration has a few kilobytes, so this is another file.',
    remedy: 'Give the path of an `agent-runner.toml`.',
  },
  'AR-CFG-005': {
    title: 'The configuration file is not UTF-8 text',
    cause: 'It is binary, UTF-16, or begins with a byte order mark.',
    remedy: 'Save it as UTF-8 without a byte order mark.',
  },
  'AR-CFG-006': {
    title: 'The configuration file is empty',
    cause: 'It holds no key at all.',
    remedy: 'Write one with `agent-runner init --force`.',
  },
  'AR-CFG-007': {
    title: 'The configuration file is not valid TOML',
    cause: 'The text at the given line and column breaks a rule of TOML; what follows it was not looked at.',
    remedy: 'Correct that place. Texts need quotes, lists need brackets, `true` and `false` are lower case.',
  },
  'AR-CFG-008': {
    title: 'A key or table is defined twice',
    cause: 'TOML allows each key once; which of the two was meant cannot be known.',
    remedy: 'Keep one of them.',
  },
  'AR-CFG-010': {
    title: 'Unknown key',
    cause: 'A misspelt key would silently leave the default in force, so unknown keys are refused.',
    remedy: 'Take the name that the message suggests; docs/configuration.md lists every key.',
  },
  'AR-CFG-011': {
    title: 'A value is not accepted',
    cause: 'The value has the wrong type or lies outside what the key takes; the message says what was found and what is accepted.',
    remedy: 'Correct the value.',
  },
  'AR-CFG-012': {
    title: 'A required key is missing',
    cause:
      '`agent.command` (or `agent.preset`), `runtime.work_dir`, `runtime.log_dir` and one of `prompt.file` and `prompt.files` have no default.',
    remedy: 'Add the key.',
  },
  'AR-CFG-013': {
    title: 'A key was removed, renamed or stands where it cannot',
    cause: 'The key belonged to another version of the Python predecessor, or it cannot be set for one phase.',
    remedy: 'Do what the message says.',
  },
  'AR-CFG-014': {
    title: 'A promise of safety that this version cannot keep',
    cause:
      'The key switches on a protection that is not built yet. Running without it, as if it were there, would be worse than not running.',
    remedy: 'Remove the key and go on without the protection, or wait for the version that brings it.',
  },
  'AR-CFG-015': {
    title: 'A key has no effect yet (warning)',
    cause: 'What the key controls is not in this version.',
    remedy: 'Nothing needs to be done.',
  },
  'AR-CFG-016': {
    title: 'Two keys say the same thing',
    cause:
      'Two names of one setting are both given: `round_timeout_s` and `round_budget_s`, `prompt.file` and `prompt.files`, or the short and the long form in a phase.',
    remedy: 'Keep one of them.',
  },
  'AR-CFG-017': {
    title: 'A regular expression cannot be used',
    cause: 'Patterns are written for Python and translated; this one is wrong, or uses what has no counterpart in JavaScript.',
    remedy: 'Rewrite the pattern as the message says.',
  },
  'AR-CFG-018': {
    title: 'A path cannot be used',
    cause: 'It is empty, contains a control character such as a newline, or begins with `~name`.',
    remedy: 'Write another path.',
  },
  'AR-CFG-019': {
    title: 'The prompt would not reach the agent',
    cause:
      '`prompt_delivery` and `prompt_arg_template` do not fit: with "argv" one argument must contain `{prompt}`, with "stdin" none may.',
    remedy: 'Correct the one or the other.',
  },
  'AR-CFG-020': {
    title: 'A phase is not in the list',
    cause: 'There is a table `[phases.<name>]`, and `phases.list` does not name it.',
    remedy: 'Add the name to `phases.list`, or remove the table.',
  },
  'AR-CFG-021': {
    title: 'No home folder to put in the place of ~',
    cause: 'A path begins with `~`, HOME is not set to an absolute path, and the password file has no entry for this user.',
    remedy: 'Set HOME, or write the path in full.',
  },
  'AR-CFG-022': {
    title: 'Unknown preset',
    cause: '`agent.preset` or `init --preset` names a preset that is not shipped.',
    remedy: 'Take one of the names in the message, or write `command` and the keys beside it yourself.',
  },
  'AR-CFG-023': {
    title: 'A setting of a Python plugin (warning)',
    cause: 'Plugins of the Python predecessor do not load here, so their settings have no effect.',
    remedy: 'Remove the key when you like.',
  },
  'AR-CFG-024': {
    title: 'A name that cannot be disabled (warning)',
    cause: '`plugins.disable` names something that is neither a shipped adapter nor a hook of this file.',
    remedy: 'Correct the name, or remove it.',
  },
  'AR-CFG-025': {
    title: 'A fallback shares the account of an agent before it',
    cause: 'Limits are held by account (`account`, else the file name of the command), so that both would wait together.',
    remedy: 'Give the fallback an `account` of its own if its limits are others; else remove it: it could never stand in.',
  },
  'AR-CFG-026': {
    title: 'A setting that does nothing as things are (warning)',
    cause: 'It is accepted, and another key (or a missing one) keeps it from doing what it is for; the message names both.',
    remedy: 'Change the one or the other.',
  },
  'AR-CFG-027': {
    title: 'Different scripts share an account by their interpreter (warning)',
    cause:
      'Limits are held by account (`account`, else the file name of `command[0]`), and for `node a.mjs` and `node b.mjs` that is `node`.',
    remedy: 'Give each such agent an `account`: any name.',
  },
  'AR-CFG-030': {
    title: 'The env file cannot be read',
    cause: 'The file of `agent.env_file` is missing, no regular file, too long, or not readable for this user.',
    remedy: 'Create it, or correct the path.',
  },
  'AR-CFG-031': {
    title: 'Others may read the env file',
    cause: 'The file of `agent.env_file` holds secrets, and its mode lets its group or everybody read or write it.',
    remedy: '`chmod 600` it.',
  },
  'AR-CFG-032': {
    title: 'The env file has a line that is no KEY=value',
    cause: 'The line is named, never shown: it may hold a secret.',
    remedy: 'Write one KEY=value a line; `#` begins a comment, quotes hold values of several lines.',
  },
  'AR-CFG-040': {
    title: 'The accepted configuration is lost',
    cause: 'The file was changed during a round, so the copy that was accepted before would be used, and that copy is gone or damaged.',
    remedy: 'Read the changed file; if it is right, `agent-runner ack config` accepts it.',
  },
  'AR-CFG-050': {
    title: 'A window of the schedule cannot be read',
    cause: '`schedule.run_windows` or `pause_windows` has an item that is not `"[WEEKDAYS ]HH:MM-HH:MM"`.',
    remedy: 'Write it like "22:00-06:00" or "Mon-Fri 22:00-06:00".',
  },
  'AR-CFG-051': {
    title: 'A cron expression cannot be read',
    cause: '`schedule.cron` has an item that is no cron expression, or one of a day that no month has.',
    remedy: 'Write minute, hour, day of month, month and weekday, such as "0 22 * * Mon-Fri".',
  },
  'AR-CFG-052': {
    title: 'The schedule never opens',
    cause: 'Pause windows cover all run windows, or no start of the cron expressions lies within the windows: no round would ever start.',
    remedy: 'Correct `[schedule]`. To pause for a while there is `agent-runner pause`.',
  },
  'AR-CFG-053': {
    title: 'Phases with agents of their own share hours (warning)',
    cause: 'Two phases bring an agent and a schedule each, and their windows overlap: in those hours the rotation decides who runs.',
    remedy: 'Give each hour to one phase, if that was meant.',
  },
  ...INIT_ERROR_CODES,
  ...CHECK_ERROR_CODES,
  ...STATE_ERROR_CODES,
  // GIT
  'AR-GIT-001': {
    title: 'git took too long',
    cause:
      'A git command did not end within its bound (10 s; 30 s for a stash, 120 s for a commit) and was ended: a hook, a slow disk, a huge tree.',
    remedy: 'Look at hooks, the disk and other git processes in work_dir; the next round tries again.',
  },
  'AR-GIT-002': {
    title: 'work_dir belongs to another repository now',
    cause: 'Since the start `.git` has come to point to another repository, so stashes and commits would go there.',
    remedy: 'Put the old `.git` back, or restart agent-runner to accept the new one.',
  },
  'AR-GIT-003': {
    title: 'git cannot be started',
    cause: 'There is no `git` on the PATH of the service, or the system refuses to start it.',
    remedy: 'Install git, or extend PATH; the next round tries again.',
  },
  'AR-GIT-004': {
    title: 'The work tree could not be kept before the first round',
    cause: '`vcs.preexisting = "snapshot"` makes a commit object of a tree that is dirty at the start, and git could not make it.',
    remedy: 'Commit or stash the changes yourself, or mend what git complains of.',
  },
  // RUN: one agent process
  'AR-RUN-001': {
    title: 'The agent’s working directory cannot be used',
    cause: 'It does not exist, is no directory, or may not be entered. The system reports this as if the program were missing.',
    remedy: 'Create the directory, or correct `runtime.work_dir`.',
  },
  'AR-RUN-002': {
    title: 'The agent’s program does not exist',
    cause: 'The file is missing (an update of the CLI may be replacing it just now), or it is a script whose interpreter is missing.',
    remedy: 'Install it, or correct `agent.command`.',
  },
  'AR-RUN-003': {
    title: 'The agent’s program may not be executed',
    cause: 'It has no execute permission, lies on a file system mounted noexec, or is no program for this machine.',
    remedy: '`chmod +x` it, move it, or install the right build.',
  },
  'AR-RUN-004': {
    title: 'The agent’s arguments are too large',
    cause: 'One argument may have at most 131,071 bytes on Linux, and all together a quarter of the stack limit.',
    remedy: 'Deliver the prompt by standard input: `agent.prompt_delivery = "stdin"`.',
  },
  'AR-RUN-005': {
    title: 'The agent cannot be started',
    cause:
      'The system refused for another reason: EAGAIN and ENOMEM (the machine or its process limit is full), EMFILE (too many open files).',
    remedy: 'Free what is missing; the next round tries again.',
  },
  'AR-RUN-006': {
    title: 'Processes of the round before are still alive',
    cause: 'They outlived SIGKILL (most often in an uninterruptible wait for a disk or a network mount). No round starts beside them.',
    remedy: 'Look at what they wait for (`ps -o pid,stat,wchan,args -p PID`); the next try ends them, or a restart of the machine.',
  },
  'AR-RUN-011': {
    title: 'The round was ended before it filled the disk',
    cause: 'A file system that the round writes to had almost nothing left (space or inodes); git and the supervisor need some of it.',
    remedy: 'Make room: the message names the disk. What the agent left in its temporary folder is not removed for you.',
  },
  'AR-RUN-012': {
    title: 'The round was ended for memory',
    cause: 'The memory of the machine was critical in several looks in a row, or was about to run out.',
    remedy: 'See docs/memory.md: the event round_mem_terminated names the largest process of the round.',
  },
  ...AGENT_ERROR_CODES,
  ...HOOK_ERROR_CODES,
  ...CONTAINER_ERROR_CODES,
  ...SERVICE_ERROR_CODES,
  ...TOOL_ERROR_CODES,
} as const satisfies Record<string, ErrorEntry>;
