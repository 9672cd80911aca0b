import { nearest } from '../config/suggest.ts';
import { RunnerError } from '../util/errors.ts';

/**
 * The phase of a round: the one that is asked for, which must be in the list (AR-CHK-007), or the one whose turn it is. `by`: a person
 * has mistyped; a serve that asks for what is not there goes by a configuration that is not the one in force.
 */
export function choosePhase(
  list: readonly string[],
  wanted: string | undefined,
  inTurn: string | null,
  by: 'person' | 'serve' = 'serve',
): string | null {
  if (wanted === undefined) return inTurn;
  if (list.includes(wanted)) return wanted;
  const near = nearest(wanted, list);
  const own = list.length === 0 ? 'leave --phase out' : near === null ? `take one of ${list.join(', ')}` : `Did you mean --phase ${near}?`;
  throw new RunnerError({
    code: 'AR-CHK-007',
    message: `--phase ${JSON.stringify(wanted)} is not in [phases] list (${list.length === 0 ? 'there are no phases' : list.join(', ')})`,
    remedy: by === 'person' ? own : 'restart serve: its configuration is not the one in force',
    exit: 'config',
  });
}
