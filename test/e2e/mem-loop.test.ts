import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { hurry } from '../support/hurry.ts';
import { project } from '../support/project.ts';

/** More than the 20 MB that it may have. */
const GREEDY = `cat >/dev/null; exec ${process.execPath} -e 'const held=Buffer.alloc(60<<20,1);setTimeout(()=>held.length,30000)'`;

it('reference case 13: five rounds that ended for memory make 71, and the third loop 70; a restart has five rounds of its own', async () => {
  const at = project({ agent: GREEDY, more: '[limits]\nround_memory_max_mb = 20\n' });
  const first = await hurry(at, at.start(['serve']));
  expect(first.code, first.stderr).toBe(71);
  expect(at.outcomes().map((outcome) => /^(mem_terminated|oom_killed)$/.test(outcome))).toEqual(Array(5).fill(true));
  expect(at.events('mem_loop')).toMatchObject([{ consecutive: 5, exit_code: 71 }]);
  expect(at.json('state/streaks.json')).toMatchObject({ memory: 0 });
  expect((await at.run(['peek'])).stdout).toContain('exit 71');

  // The second loop, as its event stands in the log.
  const file = join(at.logDir, `events-${new Date().toISOString().slice(0, 7)}.jsonl`);
  appendFileSync(file, `${JSON.stringify({ ...at.events('mem_loop')[0], ts: new Date().toISOString() })}\n`);
  const third = await hurry(at, at.start(['serve']));
  expect(third.code, third.stderr).toBe(70);
  expect(at.outcomes()).toHaveLength(10);
  expect(at.events('mem_loop_persistent')).toMatchObject([{ consecutive: 3, exit_code: 70 }]);
  expect((await at.run(['peek'])).stdout).toMatch(/^Stopped for good .* by mem_loop_persistent \(exit 70\)/);
});
