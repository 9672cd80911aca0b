import { mkdirSync } from 'node:fs';
import { guardModules } from '../agents/load-adapter.ts';
import { startConfig } from '../config/in-use.ts';
import { openEvents } from '../events/writer.ts';
import { openRepo } from '../git/repo.ts';
import { openHooks } from '../hooks/open.ts';
import { mayLoad } from '../hooks/series.ts';
import { openDiskBook } from '../host/disk/book.ts';
import { prepareLeaves } from '../process/isolation.ts';
import { agentBody } from '../round/agent-body.ts';
import { CONSEQUENCES } from '../round/consequences.ts';
import { containerWarnings } from '../round/container-warnings.ts';
import { choosePhase } from '../round/phase.ts';
import { runRound as superviseRound } from '../round/round.ts';
import { secretsRedactor } from '../round/secrets.ts';
import { startWarnings } from '../round/start-warnings.ts';
import { lookBefore } from '../round/world.ts';
import { askPerson } from '../serve/person.ts';
import { changedNeed } from '../serve/user-programs.ts';
import { refuseInsideRound } from '../service/inside-round.ts';
import { layout } from '../state/layout.ts';
import { systemClock } from '../util/clock.ts';
import { humanDuration } from '../util/duration.ts';
import { exitCode } from '../util/exit-codes.ts';
import { note, printJson } from './output.ts';
import type { GlobalOptions } from './verbs.ts';
import { printWarnings } from './warnings.ts';

interface RoundOptions extends GlobalOptions {
  phase: string | null;
  dryRun: boolean;
}

/** `agent-runner round`: one round as `serve` would run it, in this process, with an exit code that says how it went. */
export async function runRound(options: RoundOptions): Promise<number> {
  const { loaded } = startConfig(options.config).inUse;
  const { work_dir: workDir, log_dir: logDir } = loaded.config.runtime;
  refuseInsideRound('round', logDir);
  printWarnings(loaded.warnings, note);
  const repo = openRepo(workDir, { logDir, clock: systemClock });
  for (const words of [...(await containerWarnings(loaded, process.env)), ...(await startWarnings(loaded, repo))]) note(words);
  const phase = options.phase ?? undefined;
  if (phase !== undefined) choosePhase(loaded.config.phases.list, phase, null, 'person');
  if (options.dryRun) return (await import('./dry-run.ts')).dryRun(loaded, phase, options.json);

  const paths = layout(logDir);
  mkdirIfPossible(logDir);
  const hide = secretsRedactor(loaded, process.env);
  const { emit } = openEvents(logDir, systemClock, { redact: hide });
  const hooks = openHooks({
    ...{ paths, clock: systemClock, emit, env: process.env, loaded },
    warn: (words) => note(hide(words)),
    debug: () => {},
    onChanged: (changed) => askPerson(paths, emit, systemClock.now(), changedNeed(changed)),
  });
  guardModules((path) => mayLoad(hooks, loaded, path));
  const stop = new AbortController();
  // Interrupted rounds end by the ladder and exit 130; the listener stays, so that a second signal cannot cut the ladder short.
  const interrupt = () => stop.abort('stopped');
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, interrupt);

  const orphans = { done: false, told: false };
  const { leaves } = await prepareLeaves();
  const before = await lookBefore(repo, paths, false);
  const result = await superviseRound(
    {
      body: agentBody,
      repo,
      paths,
      emit,
      clock: systemClock,
      env: process.env,
      orphans,
      leaves,
      hooks,
      hide,
      disks: openDiskBook(emit, systemClock),
      ...before,
    },
    { loaded, stop: stop.signal, ...(phase === undefined ? {} : { phase }) },
  );
  const exit = exitCode(CONSEQUENCES[result.outcome].exit);
  if (options.json) {
    const { roundNum: round_num, outcome, logPath: log_path, problems } = result;
    printJson({ round_num, phase: result.phase, outcome, exit_code: exit, duration_s: result.durationMs / 1000, log_path, problems });
  } else {
    // Failed start-up checks keep the predecessor's line, which scripts look for.
    for (const problem of result.problems) {
      if (problem.startsWith('STARTUP FAIL: ')) process.stderr.write(`${problem}\n`);
      else note(problem);
    }
    if (result.roundNum !== null)
      note(`round ${result.roundNum} ended as ${result.outcome} after ${humanDuration(result.durationMs)}; log: ${result.logPath}`);
  }
  return exit;
}

/** The battery names a log_dir that cannot be made, with its own exit code; here it must not be an exception. */
function mkdirIfPossible(logDir: string): void {
  try {
    mkdirSync(logDir, { recursive: true });
  } catch {
    // Told by the check log_dir_writable.
  }
}
