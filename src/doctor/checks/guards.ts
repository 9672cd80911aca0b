import { projectCheck } from '../check.ts';

const REMEDY = 'The checks cgroup and reaping say what this host lacks; a unit by agent-runner install brings control groups.';

export const guards = projectCheck('guards', 'the guards of `serve` and their state here', ({ loaded }, { host }) => {
  const list = host.guards(loaded);
  const named = (state: string) => list.filter(({ current_state: own }) => own === state).map(({ name }) => name);
  const [degraded, off] = [named('degraded'), named('off')];
  const facts = { guards: list.map(({ name, value, current_state: state }) => ({ name, value, state })) };
  const summary = `${named('active').length} active${off.length > 0 ? `; off by configuration: ${off.join(', ')}` : ''}`;
  if (degraded.length === 0) return [{ status: 'ok', summary, facts }];
  return [{ status: 'warning', summary: `${summary}; degraded: ${why(list, degraded)}`, remedy: REMEDY, facts }];
});

/** What a guard says of itself is the reason. */
function why(list: readonly { name: string; value: unknown }[], names: readonly string[]): string {
  return list.flatMap(({ name, value }) => (names.includes(name) ? [`${name} (${value})`] : [])).join(', ');
}
