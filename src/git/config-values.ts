/** One value of `git config --list`, as some file gives it. */
export interface ConfigValue {
  /** `local` and `worktree` are the repository's own files, with everything they include. */
  scope: string;
  origin: string;
  /** Section and variable in lower case, what is between them as written. */
  key: string;
  value: string;
}

/** One configuration value that wins over every file. */
export type Override = readonly [key: string, value: string];

/** What the repository's own configuration files say, as far as it can make git run a program. */
export interface LocalConfig {
  /** Fits the files as long as this stays the same; null = do not keep (includes can come and go with any file or branch). */
  stamp: string | null;
  overrides: readonly Override[];
  /** Names of filters of the repository that are off in our calls. */
  filters: ReadonlySet<string>;
  /** File (relative to the top) -> digest of its executing values; a file that has none is not there. */
  digests: ReadonlyMap<string, string>;
  /** `core.hooksPath` of whichever file wins, as written; null = the default place. */
  hooksPath: string | null;
}

/** Reads `git config --list --show-scope --show-origin -z`. A key without `= value` reads as `true`, as git means it. */
export function parseConfigList(output: string): ConfigValue[] {
  const words = output.split('\0');
  const values: ConfigValue[] = [];
  for (let i = 0; i + 2 < words.length; i += 3) {
    const [scope = '', origin = '', pair = ''] = words.slice(i, i + 3);
    const end = pair.indexOf('\n');
    values.push({ scope, origin, key: end < 0 ? pair : pair.slice(0, end), value: end < 0 ? 'true' : pair.slice(end + 1) });
  }
  return values;
}

export function isOwn({ scope }: Pick<ConfigValue, 'scope'>): boolean {
  return scope === 'local' || scope === 'worktree';
}
