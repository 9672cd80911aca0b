import { existsSync, mkdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { tidyUp } from '../../../src/serve/inherit.ts';
import { writeJson } from '../../../src/state/atomic.ts';
import { layout } from '../../../src/state/layout.ts';
import { NO_STREAKS } from '../../../src/state/serve-state.ts';
import { testFolder } from '../../support/folder.ts';

it.each([
  ['a deliberate stop clears the streaks', 0, true],
  ['so does a breaker that stopped for good', 75, true],
  ['a third memory loop too: a person has started serve again', 70, true],
  ['a memory loop does not: the service manager has', 71, false],
])('%s', (_name, code, deliberateRestart) => {
  const paths = layout(testFolder());
  mkdirSync(paths.state);
  writeJson(paths.streaks, { ...NO_STREAKS, crash: 4 });
  writeJson(paths.stopped, { reason: 'x', exit_code: code, at: '2026-11-29T12:00:00.000Z', sentence: '', remedy: null, log_path: null });
  expect(tidyUp(paths, 0, () => {})).toEqual({ deliberateRestart });
  expect(existsSync(paths.streaks)).toBe(!deliberateRestart);
  expect(existsSync(paths.stopped)).toBe(false);
});
