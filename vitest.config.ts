import { defineConfig } from 'vitest/config';

const project = (name: string, testTimeout: number) => ({
  test: { name, include: [`test/${name}/**/*.test.ts`], testTimeout, hookTimeout: testTimeout, pool: 'forks' as const },
});

export default defineConfig({
  test: {
    // Black-box tests start real processes and assert deadlines: more workers than cores make them lie.
    maxWorkers: 2,
    projects: [project('unit', 10_000), project('invariants', 20_000), project('integration', 60_000), project('e2e', 90_000)],
  },
});
