import type { LoadedConfig } from '../../load.ts';
import type { Transform } from '../transform.ts';

/** A permanent failure of a start-up check that the configuration alone decides. */
interface StartProblem {
  /** Dotted, `agent.exec_prefix` or `phases.build.agent.command`. */
  key: string;
  message: string;
  remedy: string;
  /** A warning at start, which stops nothing. */
  advice: boolean;
}

/** Asks the start-up checks of containers; `config/` knows none itself. */
export type StartChecks = (loaded: LoadedConfig) => StartProblem[];

export const containerPrefix = (checks: StartChecks): Transform => ({
  id: 'container-prefix',
  since: '0.2.21',
  kind: 'tell',
  doc: 'A container prefix that cannot work: no `-i` with a prompt by standard input, `-t`, `-d`, `docker exec` or `compose run`, `log_dir` inside a mount, a linked worktree whose repository is not mounted. What only hurts later (no `--rm`, no `--init`, no user) is advice.',
  find: ({ loaded }) => (loaded === null ? [] : checks(loaded)),
});
