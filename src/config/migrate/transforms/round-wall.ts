import { isTable, tableOf, valueAt } from '../../tables.ts';
import { commentOut, insertNumber } from '../operations.ts';
import { together } from '../rewrite.ts';
import { type Finding, type Transform, tellOf, type View } from '../transform.ts';

const OLD = ['runtime', 'round_timeout_per_phase'];

/** One table of walls for all phases, from before each phase had a table of its own. */
export const timeoutPerPhase: Transform = {
  id: 'round-timeout-per-phase',
  since: '0.1.16',
  kind: 'fix',
  doc: 'Each entry of `runtime.round_timeout_per_phase` becomes `round_timeout_s` of that phase; the old table becomes a comment.',
  find({ document }: View): Finding[] {
    const old = valueAt(document, OLD);
    if (old === undefined) return [];
    const finding = (message: string): Finding => ({
      key: OLD,
      message,
      remedy: 'Write round_timeout_s = ... under [phases.<name>] for each phase, and remove this.',
    });
    if (!isTable(old)) return [finding('was removed; it is not clear which phases this value is meant for')];
    const list = tableOf(document.phases).list;
    const names = Object.keys(old);
    const unknown = names.find((name) => !Array.isArray(list) || !list.includes(name));
    if (unknown !== undefined) return [finding(`was removed, and it names ${JSON.stringify(unknown)}, which is not in phases.list`)];
    const wrong = names.find((name) => !Number.isSafeInteger(old[name]) || (old[name] as number) < 1);
    if (wrong !== undefined) return [finding(`was removed, and its value for ${JSON.stringify(wrong)} is no whole number of seconds`)];
    const given = names.find((name) => hasWall(tableOf(document.phases)[name]));
    if (given !== undefined) return [finding(`was removed, and [phases.${given}] has a wall of its own already`)];
    const walls = names.map((name) => insertNumber(['phases', name, 'round_timeout_s'], old[name] as number));
    return [{ ...finding('each entry moved to round_timeout_s of its phase'), rewrite: together(commentOut(OLD), ...walls) }];
  },
};

function hasWall(phase: unknown): boolean {
  const own = tableOf(phase);
  return [own, tableOf(own.runtime)].some((table) => 'round_timeout_s' in table || 'round_budget_s' in table);
}

export const twoWalls = tellOf(
  'two-walls',
  '0.3.0',
  '`round_timeout_s` and its newer name `round_budget_s` are both accepted, and a file keeps the one that it has. Given together, in `[runtime]` or in a phase, one of them has to go.',
  ({ code, key }) => code === 'AR-CFG-016' && key.endsWith('round_budget_s'),
);

export const phaseTwins = tellOf(
  'phase-twins',
  '0.1.16',
  'A setting of a phase given both in `[phases.<name>]` and in `[phases.<name>.runtime]`: one of them has to go.',
  ({ code, key }) => code === 'AR-CFG-016' && key.startsWith('phases.') && !key.endsWith('round_budget_s'),
);
