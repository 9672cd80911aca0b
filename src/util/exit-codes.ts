/** Every exit code of the program. docs/commands.md prints this table; systemd's RestartPreventExitStatus comes from `final`. */
export const EXIT = {
  ok: { code: 0, meaning: 'clean stop or success', final: false },
  failure: {
    code: 1,
    meaning: 'generic failure; `serve` when another one holds its lock; `round` when the agent failed; `upgrade` when it was undone',
    final: false,
  },
  usage: { code: 2, meaning: 'unknown verb, flag or argument; `upgrade` when the old version could not be put back either', final: false },
  memLoopPersistent: { code: 70, meaning: 'third memory loop within two hours: stopped on purpose', final: true },
  memLoop: { code: 71, meaning: 'memory loop: restarting the supervisor may help', final: false },
  breaker: { code: 75, meaning: 'crash loop, no progress or a spent budget: stopped on purpose', final: true },
  environment: { code: 76, meaning: '`round`: the environment is not fit now (disk, lock, git time-out)', final: false },
  config: { code: 78, meaning: 'configuration or credentials must be mended first', final: true },
  interrupted: { code: 130, meaning: 'interrupted by a signal', final: false },
} as const;

export type ExitName = keyof typeof EXIT;

/** Whether serve ends with this code on purpose, so that a restart by itself would be wrong. */
export function isFinal(code: number): boolean {
  return Object.values(EXIT).some((exit) => exit.final && exit.code === code);
}

export function exitCode(name: ExitName): number {
  return EXIT[name].code;
}
