/** LCK and STA: locks and state files. Part of `ERROR_CODES`. */
export const STATE_ERROR_CODES = {
  // LCK: locks
  'AR-LCK-001': {
    title: 'The program flock is missing',
    cause: 'Locks are taken by the `flock` program of util-linux, and none is on PATH.',
    remedy: 'Install util-linux, or extend PATH.',
  },
  'AR-LCK-002': {
    title: 'The file system of log_dir does not lock',
    cause: 'Some network and FUSE file systems refuse kernel locks, or their lock service is not running.',
    remedy: 'Put `runtime.log_dir` on a local file system, or turn the lock service on.',
  },
  'AR-LCK-003': {
    title: 'A lock file cannot be opened',
    cause: 'log_dir is not writable for this user, is missing, or something that is no plain file lies in the place of the lock file.',
    remedy: 'Mend the permissions of log_dir; remove what lies there when nothing runs.',
  },
  'AR-LCK-004': {
    title: 'Another round runs here',
    cause: 'A `round` or `serve` holds the round lock of this log_dir: two agents on one tree destroy each other’s work.',
    remedy: 'Wait until it has ended; `agent-runner kill` ends it now.',
  },
  // STA: state files
  'AR-STA-001': {
    title: 'A state file cannot be written',
    cause: 'The disk is full or read-only, or the folder is gone or not writable for this user. The old file is untouched.',
    remedy: 'Free space or mend the permissions; nothing else is needed, the next write is whole again.',
  },
  'AR-STA-002': {
    title: 'A state file cannot be read',
    cause: 'It exists, but this user may not read it, or reading fails.',
    remedy: 'Run agent-runner as the user who owns log_dir, or mend the permissions.',
  },
} as const satisfies Record<string, { title: string; cause: string; remedy: string }>;
