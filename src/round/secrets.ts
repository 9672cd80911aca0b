import { readEnvFile } from '../config/env-file.ts';
import type { LoadedConfig } from '../config/load.ts';
import { everyAgent } from '../config/profile.ts';
import { type Redact, redactor } from '../util/redact.ts';
import { secretValues } from '../util/secret-values.ts';

/** Takes out of texts what this configuration and environment give to agents in confidence. */
export function secretsRedactor({ config }: LoadedConfig, env: NodeJS.ProcessEnv): Redact {
  const known = everyAgent(config).flatMap(({ env: own, env_file: file }) => [
    ...secretValues(own),
    ...(file ? secretValues(readableEnvFile(file)) : []),
  ]);
  return redactor(new Set([...secretValues(env), ...known]));
}

/** One that cannot be read is told by its start-up check; there is nothing to hide then. */
function readableEnvFile(file: string): Record<string, string> {
  try {
    return readEnvFile(file);
  } catch {
    return {};
  }
}
