import type { Project, Running, StartOptions } from './project.ts';
import { until } from './wait.ts';

/** Shell scripts for `project({ agent })`. Each reads its prompt first, as a CLI does. */

/** What a turn that ended well prints last. */
const RESULT = '{"type":"result","is_error":false}';

/** Says its result and ends. */
export const WELL = `cat >/dev/null; echo '${RESULT}'`;

/** Fails at once. */
export const CRASHES = 'cat >/dev/null; echo "cannot find module"; exit 3';

/** Runs until `release()` of its project, then ends well. It needs nobody's input and leaves on TERM. */
export const HELD = `cat >/dev/null; echo started; while [ ! -e "${folder()}/go" ]; do sleep 0.05; done; echo '${RESULT}'`;

/** Starts `args` with an agent `HELD`, and resolves when that is in the middle of its turn. */
export async function held(at: Project, args: readonly string[], options: StartOptions = {}): Promise<Running> {
  const running = at.start(args, options);
  await until('the agent is in the middle of its turn', () => at.log().includes('started'));
  return running;
}

/** Prints these records, one a line, and ends with `exit`. */
export function says(records: readonly object[], exit = 0): string {
  return `cat >/dev/null; ${records.map((record) => `echo '${JSON.stringify(record)}'`).join('; ')}; exit ${exit}`;
}

/** claude's record of a turn that its provider refused: subtype "success" with is_error, exit 1. */
export function refused(status: number, words = `API Error: ${status}`): object {
  return { type: 'result', subtype: 'success', is_error: true, api_error_status: status, result: words };
}

/** claude's record of an account limit, followed by the failed turn. */
export function limited(resetsAt: number | null): object[] {
  return [
    { type: 'rate_limit_event', rate_limit_info: { status: 'rejected', rateLimitType: 'five_hour', resetsAt } },
    refused(429, 'You have hit your limit'),
  ];
}

/** Where the project keeps everything, as its agent sees it: log_dir lies in it, or in its work folder. */
function folder(): string {
  return '$(dirname "$0")';
}
