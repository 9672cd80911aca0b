import { projectCheck } from '../check.ts';

export const guards = projectCheck('guards', 'the guards of `serve` and their state here', ({ loaded }, { host }) => {
  const list = host.guards(loaded);
  const named = (state: string) => list.filter(({ current_state: own }) => own === state).map(({ name }) => name);
  const [degraded, off] = [named('degraded'), named('off')];
  const facts = { guards: list.map(({ name, value, current_state: state }) => ({ name, value, state })) };
  const summary = `${named('active').length} active${off.length > 0 ? `; off by configuration: ${off.join(', ')}` : ''}`;
  if (degraded.length === 0) return [{ status: 'ok', summary, facts }];
  return [{ status: 'warning', summary: `${summary}; degraded: ${degraded.join(', ')}`, remedy: 'See the check reaping.', facts }];
});
