import { writeFileSync } from 'node:fs';

/**
 * What is added to the badness of an agent's processes, thousandths of the machine's memory: the kernel's OOM killer then takes them before
 * anybody who has less than half of the memory more, such as a shell, a database or the supervisor.
 */
const AGENT_OOM_SCORE = 500;

/** Children that are started from now on inherit it. Anybody may raise it for their own processes; where that fails, nothing is lost. */
export function offerToOomKiller(pid: number, score: number = AGENT_OOM_SCORE): boolean {
  try {
    writeFileSync(`/proc/${pid}/oom_score_adj`, String(score), { flag: 'r+' });
    return true;
  } catch {
    return false;
  }
}
