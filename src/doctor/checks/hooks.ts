import { hookName } from '../../config/hook-name.ts';
import { reachOf, watchedOf } from '../../hooks/commands.ts';
import { filesInReach, startable } from '../../hooks/programs.ts';
import { type Finding, projectCheck } from '../check.ts';

export const hooks = projectCheck(
  'hooks',
  'programs of `hooks.*` and `notify.command`: there and executable; these and the module of `agent.adapter`: not where agents write',
  ({ loaded }, { env }) => {
    const commands = watchedOf(loaded);
    if (commands.length === 0) return [{ status: 'ok', summary: 'none' }];
    const reach = reachOf(loaded, env);
    const findings = commands.flatMap(({ kind, argv }): Finding[] => {
      const of = hookName(argv);
      const inReach = filesInReach(argv, reach);
      return [
        ...(kind !== 'adapter' && startable(argv, reach) === null ? [missing(of, argv[0], kind === 'serve_start')] : []),
        ...inReach.map((path) => exposed(of, path)),
      ];
    });
    return findings.length > 0 ? findings : [{ status: 'ok', summary: commands.map(({ argv }) => hookName(argv)).join(', ') }];
  },
);

/** Only what keeps serve from starting is a failure: the other hooks can hurt nothing. */
function missing(of: string, program: string, keepsFromStarting: boolean): Finding {
  return {
    status: keepsFromStarting ? 'failed' : 'warning',
    of,
    summary: `there is no program ${program}, or it is not executable`,
    remedy: 'Correct the command, or chmod +x the file. A relative path begins at work_dir.',
    code: 'AR-HOK-002',
  };
}

function exposed(of: string, path: string): Finding {
  return {
    status: 'warning',
    of,
    summary: `${path} lies where agents write and runs as the supervisor`,
    remedy: 'Move it to a folder that no agent writes to.',
    code: 'AR-HOK-003',
  };
}
