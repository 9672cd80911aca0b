import type { LoadedConfig } from '../config/load.ts';

/** What every hook is told. */
export function projectFacts({ config, project, path }: LoadedConfig) {
  const { work_dir, log_dir, dry_run } = config.runtime;
  return { schema_version: '1.0', project, config_path: path, work_dir, log_dir, dry_run } as const;
}
