import { afterAll, describe, it } from 'vitest';
import { CELL, type Cell, checkCell, inShort } from '../support/clis/cell.ts';
import { writeMatrix } from '../support/clis/matrix.ts';
import { forgetProgram, type Measured } from '../support/clis/measure.ts';
import { SITUATIONS, type SituationName } from '../support/clis/situations.ts';
import { CLI_NAMES } from '../support/clis/versions.ts';

const situations = Object.keys(SITUATIONS) as SituationName[];
const CELLS: readonly Cell[] = CLI_NAMES.flatMap((cli) => situations.map((situation) => ({ cli, situation })));
const measured: (Cell & { is: Measured })[] = [];

afterAll(() => {
  forgetProgram();
  for (const { cli, situation, is } of measured) console.log(`${cli} ${situation}: ${inShort(is)} (${is.seconds} s)`);
  const path = process.env.AGENT_RUNNER_TEST_MATRIX;
  if (path) writeMatrix(path, measured);
});

describe('every CLI in every situation', () => {
  it.concurrent.for(CELLS)('$cli: $situation', CELL, async (cell, context) => {
    measured.push({ ...cell, is: await checkCell(cell, context) });
  });
});
