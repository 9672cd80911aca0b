/** The value of the first of these options in a command: `-m NAME`, `--model NAME`, `--model=NAME`; null without one. */
export function optionOf(command: readonly string[], ...names: readonly string[]): string | null {
  for (const [at, word] of command.entries()) {
    for (const name of names) {
      if (word === name) return command[at + 1] ?? null;
      if (name.startsWith('--') && word.startsWith(`${name}=`)) return word.slice(name.length + 1);
    }
  }
  return null;
}

/** Whether the command makes the CLI print records: then their absence tells something. */
export function asksForRecords(command: readonly string[], ...names: readonly string[]): boolean {
  const format = optionOf(command, ...names);
  return format === 'json' || format === 'stream-json';
}
