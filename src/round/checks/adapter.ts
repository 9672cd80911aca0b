import { loadAdapter } from '../../agents/load-adapter.ts';
import { agentIdentity } from '../../config/profile.ts';
import { RunnerError } from '../../util/errors.ts';
import { type Check, type CheckResult, pass } from './check.ts';

/** That what reads the agent's output is there: without it no limit, no refused login and no usage would be known. */
export const adapterLoads: Check = ({ loaded: { config }, profiles }) =>
  Promise.all(
    profiles.map(async ({ label, profile: { agent } }): Promise<CheckResult> => {
      const name = `adapter_loads${label}`;
      try {
        await loadAdapter(agentIdentity(agent), agent.adapter, config.runtime.work_dir, config.plugins.disable);
        return pass(name);
      } catch (error) {
        if (!(error instanceof RunnerError)) throw error;
        return { name, ok: false, permanent: true, code: error.code, reason: error.message, remedy: error.remedy ?? '' };
      }
    }),
  );
