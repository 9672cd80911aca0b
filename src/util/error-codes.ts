interface ErrorEntry {
  title: string;
  cause: string;
  remedy: string;
}

/** Every code that a user may see, by area; docs/troubleshooting.md is generated from it. */
export const ERROR_CODES = {
  // CLI: the command line
  // CFG: configuration
  // INI: init
  // CHK: start-up checks
  // LCK: locks
  // STA: state files
  // GIT
  // RUN: one agent process
  // SRV: the loop
  // PEE: peek
} as const satisfies Record<string, ErrorEntry>;
