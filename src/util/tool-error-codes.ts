/** Of the verbs around the loop: migrate, doctor, upgrade, drill, peek. Part of `ERROR_CODES`. */
export const TOOL_ERROR_CODES = {
  // MIG: migrate
  'AR-MIG-001': {
    title: 'The configuration changed while it was being migrated',
    cause: 'Somebody wrote the file between the moment it was read and the moment it was to be replaced.',
    remedy: 'Run `agent-runner migrate` again; nothing was written.',
  },
  'AR-MIG-002': {
    title: 'The migrated configuration cannot be written',
    cause: 'The file or its folder is not writable for this user, or the disk is full.',
    remedy: 'Mend that and run `agent-runner migrate` again; the old file is untouched.',
  },
  // DOC: doctor
  'AR-DOC-001': {
    title: 'A check of doctor failed itself',
    cause: 'A bug of agent-runner, or a part of the system that answers in an unknown way. The other checks were made.',
    remedy: 'Report it with the line that doctor printed.',
  },
  // UPG: upgrade
  'AR-UPG-001': {
    title: 'upgrade does not know where to install from',
    cause:
      'There is no default source: a name on a public registry may belong to anybody. `AGENT_RUNNER_UPGRADE_SOURCE` is not set, and `--target` names no file.',
    remedy: 'Set `AGENT_RUNNER_UPGRADE_SOURCE` to a package name, a tarball or a folder, or give a tarball or folder to `--target`.',
  },
  'AR-UPG-002': {
    title: 'The source or target of upgrade cannot be meant',
    cause: 'It is no package name, version, tarball or folder, or a version was asked of a file, which has only one.',
    remedy: 'Correct `AGENT_RUNNER_UPGRADE_SOURCE` or `--target`.',
  },
  'AR-UPG-003': {
    title: 'This copy was not installed by npm',
    cause: 'It runs from a checkout, an image or a linked folder, so npm could not replace it.',
    remedy: 'Update it the way it came there: `git pull && npm ci`, or a new image.',
  },
  'AR-UPG-004': {
    title: 'npm failed before anything was changed',
    cause: 'The package could not be fetched or built, or npm is missing.',
    remedy: 'Look at npm’s registry and network settings, and run the upgrade again.',
  },
  'AR-UPG-005': {
    title: 'The source holds another package',
    cause: 'The name in its package.json is not this program’s.',
    remedy: 'Correct the source.',
  },
  'AR-UPG-006': {
    title: 'The new version does not run here',
    cause: 'It was tried in a folder of its own and failed, e.g. because it needs a newer Node. Nothing was changed.',
    remedy: 'Do what its message says, or take another version.',
  },
  'AR-UPG-007': {
    title: 'The new version would not accept the configuration',
    cause: 'Its `migrate` has items that only a person can decide. Nothing was changed.',
    remedy: 'Mend these in the file, then upgrade.',
  },
  'AR-UPG-008': {
    title: 'Another upgrade is running',
    cause: 'Two at once would take each other’s files away.',
    remedy: 'Wait for it.',
  },
  'AR-UPG-009': {
    title: 'This user may not replace the program',
    cause: 'It belongs to somebody else, often root.',
    remedy: 'Run the upgrade as the user who installed it.',
  },
  'AR-UPG-010': {
    title: 'serve runs, and nobody would start it again',
    cause: 'It was started by hand or by something that upgrade does not know. Its files must not be replaced under it.',
    remedy: '`agent-runner stop`, upgrade, start it again; or `--no-restart`, and restart it soon.',
  },
  'AR-UPG-011': {
    title: 'The service does not stop',
    cause: 'It still runs after the time that its unit grants a round to finish.',
    remedy: 'Look at `agent-runner status` and at the journal; nothing was changed.',
  },
  // DRL: drill
  'AR-DRL-001': {
    title: 'log_dir takes no scratch folder',
    cause: 'The drill keeps everything that it makes below `runtime.log_dir`, and this user cannot make a folder there.',
    remedy: 'Give this user write permission there, or free space.',
  },
  'AR-DRL-002': {
    title: 'git makes no scratch repository',
    cause: 'Neither could the work tree be cloned nor an empty repository be made below `runtime.log_dir`.',
    remedy: '`agent-runner doctor` says what is wrong with git here.',
  },
  // PEE: peek
  'AR-PEE-001': {
    title: 'There is no such round',
    cause: '`peek --round` was given a number of which no log is left: it never ran, or its log has been pruned.',
    remedy: '`--round latest` takes the newest one; `runtime.round_log_retention` says how many are kept.',
  },
  'AR-PEE-002': {
    title: 'There is no such value',
    cause: 'A segment of the path of `peek --select` names no key or index at its place.',
    remedy: '`agent-runner peek --json` prints the whole tree.',
  },
} as const;
