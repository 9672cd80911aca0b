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
