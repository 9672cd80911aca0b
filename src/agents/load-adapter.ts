import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { homeFolder } from '../config/paths.ts';
import { nearest } from '../config/suggest.ts';
import { errnoOf, messageOf, RunnerError } from '../util/errors.ts';
import type { AgentAdapter } from './adapter.ts';
import { custom } from './custom.ts';
import { customAdapterOf } from './custom-module.ts';
import { ADAPTER_NAMES, adapterOfIdentity, shippedAdapter } from './registry.ts';

/**
 * What reads this agent's output: the adapter that `agent.adapter` names, the ES module it points to, or the one of the agent's own
 * name. A module is loaded once in the life of the process: what an agent writes into the file meanwhile does not run.
 *
 * `workDir`: where a relative path begins. `disabled`: names of `plugins.disable`; whose adapter is one of them is read as `custom`.
 * Throws AR-AGT-001 (no such name), AR-AGT-002 (the module cannot be loaded), AR-AGT-003 (it is no adapter) and AR-AGT-005 (an agent may
 * have written it), all of them with exit 78.
 */
export async function loadAdapter(
  identity: string,
  configured: string | null | undefined,
  workDir: string,
  disabled: readonly string[] = [],
): Promise<AgentAdapter> {
  const unlessDisabled = (adapter: AgentAdapter) => (disabled.includes(adapter.name) ? custom : adapter);
  if (configured === null || configured === undefined) return unlessDisabled(adapterOfIdentity(identity));
  if (!isPath(configured)) return unlessDisabled(shippedAdapter(configured) ?? unknownName(configured));
  const path = fullPath(configured, workDir);
  return customAdapterOf(await moduleAt(path), path);
}

function isPath(configured: string): boolean {
  return /[/\\]|\.[cm]?[jt]s$/.test(configured);
}

function fullPath(configured: string, workDir: string): string {
  const home = configured.startsWith('~/') ? homeFolder() : null;
  return home === null ? resolve(workDir, configured) : resolve(home, configured.slice(2));
}

/** Modules that this process runs already, and who says of another one whether it may. */
const loaded = new Set<string>();
let mayLoad: (path: string) => boolean = () => true;

/** For a supervisor, before its first round: modules run with its rights, and agents may be able to write them. */
export function guardModules(guard: (path: string) => boolean): void {
  mayLoad = guard;
}

async function moduleAt(path: string): Promise<Record<string, unknown>> {
  if (!loaded.has(path) && !mayLoad(path)) {
    throw new RunnerError({
      code: 'AR-AGT-005',
      message: `agent.adapter: ${path} lies where agents write and was changed: it is not loaded`,
      remedy: "look at the module; if it is right: 'agent-runner ack hooks', then start again",
      exit: 'config',
    });
  }
  try {
    const found = await import(pathToFileURL(path).href);
    loaded.add(path);
    return found;
  } catch (error) {
    const missing = errnoOf(error) === 'ERR_MODULE_NOT_FOUND';
    throw new RunnerError({
      code: 'AR-AGT-002',
      message: `agent.adapter: ${path} cannot be loaded: ${messageOf(error).split('\n', 1)[0]}`,
      remedy: missing
        ? 'Name an ES module (.mjs) that is there, with what it imports; a relative path begins at work_dir'
        : `'node ${path}' shows where it fails`,
      exit: 'config',
      cause: error,
    });
  }
}

function unknownName(name: string): never {
  const near = nearest(name, ADAPTER_NAMES);
  throw new RunnerError({
    code: 'AR-AGT-001',
    message: `agent.adapter: there is no shipped adapter '${name}'`,
    remedy: near === null ? `Adapters: ${ADAPTER_NAMES.join(', ')}; for a module of your own write its path` : `Did you mean '${near}'?`,
    exit: 'config',
  });
}
