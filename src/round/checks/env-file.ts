import { readEnvFile } from '../../config/env-file.ts';
import { RunnerError } from '../../util/errors.ts';
import { type Check, type CheckResult, pass } from './check.ts';

export const envFileReadable: Check = ({ profiles }) =>
  profiles.flatMap(({ label, profile }): CheckResult[] => {
    const name = `env_file_readable${label}`;
    if (!profile.agent.env_file) return [];
    try {
      readEnvFile(profile.agent.env_file);
      return [pass(name)];
    } catch (error) {
      if (!(error instanceof RunnerError)) throw error;
      return [{ name, ok: false, permanent: true, code: error.code, reason: error.message, remedy: error.remedy ?? '' }];
    }
  });
