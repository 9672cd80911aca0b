import type { TestContext } from 'vitest';
import { pidNamespaces } from '../../src/process/pid-namespace.ts';
import { requirePart } from './parts.ts';

/** What puts a command into a PID namespace of its own; skips the test where there are none. */
export async function namespaceHere(context: Pick<TestContext, 'skip'>): Promise<readonly string[]> {
  requirePart(context, 'linux', 'unshare');
  const found = await pidNamespaces();
  if (found.available) return found.prefix;
  if (process.env.AGENT_RUNNER_TEST_REQUIRE !== 'all') context.skip(`needs PID namespaces: ${found.reason}; ${found.remedy}`);
  throw new Error(found.reason);
}
