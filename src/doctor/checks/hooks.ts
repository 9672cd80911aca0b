import { hookName } from '../../config/hook-name.ts';
import { reachOf, watchedOf } from '../../hooks/commands.ts';
import { filesInReach, missingScript, startable } from '../../hooks/programs.ts';
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
      const [lacksProgram, script] = kind === 'adapter' ? [false, null] : [startable(argv, reach) === null, missingScript(argv, reach)];
      return [
        ...(lacksProgram ? [missing(of, `there is no program ${argv[0]}, or it is not executable`, kind === 'serve_start')] : []),
        ...(script === null ? [] : [missing(of, `there is no ${script}, which ${argv[0]} is to run`, kind === 'serve_start')]),
        ...inReach.map((path) => exposed(of, path)),
      ];
    });
    return findings.length > 0 ? findings : [{ status: 'ok', summary: commands.map(({ argv }) => hookName(argv)).join(', ') }];
  },
);

/** Only what keeps serve from starting is a failure: the other hooks can hurt nothing. */
function missing(of: string, summary: string, keepsFromStarting: boolean): Finding {
  return {
    status: keepsFromStarting ? 'failed' : 'warning',
    of,
    summary,
    remedy: 'Correct the command, or chmod +x the file. A relative path begins at work_dir, ~/ at HOME.',
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
