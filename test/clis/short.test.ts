import { afterAll, describe, it } from 'vitest';
import { CELL, type Cell, checkCell } from '../support/clis/cell.ts';
import { forgetProgram } from '../support/clis/measure.ts';

afterAll(forgetProgram);

/** The short set: one of each kind, spread over CLIs that differ most. `npm run test:clis` runs all. */
const SHORT: readonly Cell[] = [
  { cli: 'claude', situation: 'account' },
  { cli: 'claude', situation: 'killed' },
  { cli: 'claude', situation: 'crash' },
  { cli: 'claude', situation: 'daemon' },
  { cli: 'claude', situation: 'hangs' },
  { cli: 'pi', situation: 'clean' },
  { cli: 'pi', situation: 'refused' },
  { cli: 'pi', situation: 'recovers' },
  { cli: 'pi', situation: 'dropped' },
  { cli: 'gemini', situation: 'billing' },
  { cli: 'gemini', situation: 'account' },
  { cli: 'gemini', situation: 'background' },
];

describe('a real CLI under agent-runner, with nothing but loopback (field bugs 11, 12, 14, 18, 37)', () => {
  it.concurrent.for(SHORT)('$cli: $situation', CELL, async (cell, context) => void (await checkCell(cell, context)));
});
