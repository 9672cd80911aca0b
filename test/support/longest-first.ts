import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * The files that take half a minute and more on a machine with two cores. A new machine has no record of durations, and the size of a
 * file, by which vitest sorts then, says little of it: the last worker would go on alone for a minute. Only the order hangs on this list.
 */
const LONG = [
  'e2e/odd-places',
  'e2e/memory-floor',
  'e2e/breakers',
  'e2e/battery',
  'e2e/cli/steer',
  'integration/service/upgrade',
  'integration/container/stop',
  'e2e/service/',
  'e2e/git',
  'e2e/park',
  'e2e/config-reload',
  'e2e/cli/drill',
  'e2e/container/',
  'e2e/lifecycle',
  'e2e/outcomes',
  'e2e/week',
  'e2e/limits',
  'e2e/kill-nine',
  'e2e/memory-vm',
  'e2e/compose',
  'e2e/cli/upgrade',
  'e2e/bad-input',
  'e2e/virtual-time',
  'integration/run/hiding',
];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rank = ({ moduleId }: TestSpecification) => {
      const at = LONG.findIndex((name) => moduleId.includes(`/test/${name}`));
      return at === -1 ? LONG.length : at;
    };
    return sorted.toSorted((a, b) => rank(a) - rank(b));
  }
}
