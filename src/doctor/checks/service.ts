import { findSingleRound } from '../../service/running.ts';
import { serviceStatus } from '../../service/status.ts';
import { asInFlight } from '../../state/in-flight.ts';
import { readNeedsHuman, readPause, readState, readStopped, type StoppedState } from '../../state/serve-state.ts';
import { clockTime } from '../../util/local-time.ts';
import { type Finding, projectCheck } from '../check.ts';

export const service = projectCheck(
  'service',
  'whether `serve` runs, how it is managed, how the last one ended',
  async ({ paths, target }, { clock }) => {
    const { active, pid, mode, unit_file: unit, unit_state: state } = await serviceStatus(target, clock.now());
    const facts = { mode, active, pid, unit_file: unit, unit_state: state };
    if (active) return [{ status: 'ok', summary: `serve runs (pid ${pid}, ${mode})`, facts }];
    const stopped = readStopped(paths);
    if (stopped === null || stopped.exit_code === 0) return [{ status: 'info', summary: 'serve does not run', facts }];
    return [
      {
        status: 'warning',
        summary: `serve stopped by itself: ${stopped.sentence}`,
        remedy: stopped.remedy ?? "'agent-runner peek' says more.",
        facts,
      },
    ];
  },
);

export const inFlight = projectCheck('in_flight', 'no round is on record whose supervisor died', async ({ paths, target }, { clock }) => {
  const record = readState(paths.inFlight, asInFlight);
  if (record === null) return [{ status: 'ok', summary: 'no round is on record' }];
  const facts = { round_num: record.round_num, started_at: record.started_at };
  const { active } = await serviceStatus(target, clock.now());
  if (active || (await findSingleRound(paths)) !== null) return [{ status: 'info', summary: `round ${record.round_num} runs now`, facts }];
  return [
    {
      status: 'warning',
      summary: `the supervisor of round ${record.round_num} died; what lives of it is ended at the next start`,
      remedy: "'agent-runner kill' ends it now.",
      facts,
    },
  ];
});

export const asked = projectCheck('asked', 'nothing is asked of a person, and nobody has paused the loop', ({ paths }, { clock }) => {
  const stopped = readStopped(paths);
  const findings = readNeedsHuman(paths).entries.map(
    ({ reason, message, command }): Finding => ({
      status: 'warning',
      of: reason,
      summary: message,
      remedy: answerTo(reason, command, stopped),
    }),
  );
  const pause = readPause(paths);
  if (pause !== null)
    findings.push({
      status: 'info',
      of: 'pause',
      summary: `paused ${pause.until === null ? 'until resumed' : `until ${clockTime(Date.parse(pause.until), clock.now())}`}`,
      remedy: "'agent-runner resume' ends it.",
    });
  return findings.length > 0 ? findings : [{ status: 'ok', summary: 'nothing' }];
});

/** After a stop for that very reason an answer alone starts nothing, and the start is the answer; a budget goes on being used up. As peek says. */
function answerTo(reason: string, command: string, stopped: StoppedState | null): string {
  if (stopped?.reason !== reason || reason === 'budget') return command;
  return `${stopped.remedy ?? 'See to the cause, then start serve again'}: agent-runner serve (a service: agent-runner start).`;
}
