/** INI: `init` and the files that it writes. Part of `ERROR_CODES`. */
export const INIT_ERROR_CODES = {
  'AR-INI-001': {
    title: 'init needs a git work tree',
    cause: 'The folder is not inside a git work tree, or git refuses it (owned by somebody else).',
    remedy: 'Run `git init` there first: each round’s work is kept by git.',
  },
  'AR-INI-002': {
    title: 'init found a configuration',
    cause: 'There is an `agent-runner.toml` already.',
    remedy: '`--force` writes a new one and keeps the old one as a backup.',
  },
  'AR-INI-003': {
    title: 'init found no agent',
    cause: 'None of the agent CLIs that have a preset is on PATH.',
    remedy: 'Install one, or try the bundled one: `agent-runner init --preset demo`.',
  },
  'AR-INI-004': {
    title: 'init cannot write a file',
    cause: 'The folder is read-only or full, or something that is no plain file lies in the place of one that init writes.',
    remedy: 'Mend what the message names and run it again; nothing was overwritten.',
  },
  'AR-INI-005': {
    title: 'init cannot run git',
    cause: 'There is no `git` on PATH, or it did not answer in time.',
    remedy: 'Install git, or extend PATH.',
  },
  'AR-INI-006': {
    title: 'init was given two ways to choose the agent',
    cause: '`--preset` names the agent, `--detect` looks for it.',
    remedy: 'Keep one of them.',
  },
  'AR-INI-007': {
    title: 'A shipped file is missing',
    cause: 'The installation of agent-runner lacks a file of its own, such as deploy/Dockerfile.',
    remedy: 'Install it again.',
  },
  'AR-INI-008': {
    title: '--compose with rounds by podman',
    cause: 'The compose file with a container for each round needs the socket of a docker engine.',
    remedy: 'Run serve on the host with `--container podman`, or take `--compose` alone.',
  },
} as const;
