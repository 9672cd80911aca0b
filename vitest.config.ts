import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/longest-first.ts';

const project = (name: string, testTimeout: number) => ({
  extends: true as const,
  test: {
    name,
    include: [`test/${name}/**/*.test.ts`],
    setupFiles: ['test/support/schemas-loaded.ts'],
    testTimeout,
    hookTimeout: testTimeout,
  },
});
/** Real CLIs run alone, after all others: they take both cores. The whole set only where it is asked for: `npm run test:clis`. */
const clis = {
  extends: true as const,
  test: {
    name: 'clis',
    include: [`test/clis/${process.env.AGENT_RUNNER_TEST_CLIS === 'whole' ? '{whole,recipes,credentials}' : 'short'}.test.ts`],
    sequence: { groupOrder: 1 },
    maxWorkers: 1,
    testTimeout: 300_000,
    hookTimeout: 60_000,
  },
};
const report = process.env.AGENT_RUNNER_TEST_REPORT;

export default defineConfig({
  test: {
    pool: 'forks',
    // Most of a black-box test is waiting, so one worker more than the two cores of a CI machine fills the gaps; still more would make
    // those that assert deadlines lie.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    ...(report ? { reporters: ['default', 'json'], outputFile: { json: report } } : {}),
    projects: [project('unit', 60_000), project('invariants', 60_000), project('integration', 60_000), project('e2e', 90_000), clis],
  },
});
