import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/util/clock.ts';
import type { Project, Result, Running } from './project.ts';

/** Ends every wait of `serve` at once, as `agent-runner wake` does, until serve itself ends. */
export async function hurry(at: Project, serve: Running): Promise<Result> {
  let over = false;
  void serve.ended.then(() => {
    over = true;
  });
  mkdirSync(join(at.logDir, 'state'), { recursive: true });
  while (!over) {
    writeFileSync(join(at.logDir, 'state', 'wake'), '');
    await systemClock.sleep(30);
  }
  return serve.ended;
}
