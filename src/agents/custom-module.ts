import { constants } from 'node:os';
import { basename } from 'node:path';
import { RunnerError } from '../util/errors.ts';
import type { AgentAdapter, TurnReader } from './adapter.ts';
import { type JsonRecord, listOf, objectOf } from './json-line.ts';

/**
 * The adapter that an ES module of the user's exports, as `default` or as `adapter`. Only `read` must be there. Throws AR-AGT-003 that
 * says what is wrong; what `read` returns is looked at when it is used.
 */
export function customAdapterOf(module: JsonRecord, path: string): AgentAdapter {
  const exported = objectOf(module.default) ?? objectOf(module.adapter);
  if (exported === null) refuse(path, 'exports no adapter', 'Export an object as default: export default { read() { ... } }');
  const { name, cooperativeStop = null, lines = 'all', read } = exported;
  if (typeof read !== 'function') refuse(path, 'has no function `read`', 'read() returns { line(line), conclude(facts) } for one turn');
  if (name !== undefined && typeof name !== 'string')
    refuse(path, 'has a `name` that is no text', 'Leave it out, or write the name of the CLI');
  if (lines !== 'json' && lines !== 'all')
    refuse(path, 'has `lines` that is neither "json" nor "all"', 'With "json" only lines that begin with { come');
  if (!isStopSignal(cooperativeStop)) {
    refuse(
      path,
      `has a \`cooperativeStop\` that is no signal to end with: ${String(cooperativeStop)}`,
      'Write "SIGINT", "SIGTERM" or null',
    );
  }
  return {
    name: name ?? basename(path).replace(/\.[cm]?[jt]s$/, ''),
    title: `the adapter ${path}`,
    cooperativeStop,
    lines,
    understands: {
      end: null,
      tokens: exported.tokens === true,
      cost: exported.cost === true,
      toolCalls: false,
      retries: null,
      errors: 'records',
      recorded: [],
    },
    hosts: texts(exported.hosts),
    credentials: { env: texts(objectOf(exported.credentials)?.env), files: texts(objectOf(exported.credentials)?.files) },
    read: (command = []) => Reflect.apply(read, exported, [command]) as TurnReader,
  };
}

function isStopSignal(value: unknown): value is NodeJS.Signals | null {
  if (value === null) return true;
  // KILL and STOP cannot be caught: nobody ends a turn in order by them.
  return typeof value === 'string' && Object.hasOwn(constants.signals, value) && value !== 'SIGKILL' && value !== 'SIGSTOP';
}

function texts(value: unknown): string[] {
  return listOf(value).filter((part) => typeof part === 'string');
}

function refuse(path: string, what: string, remedy: string): never {
  throw new RunnerError({ code: 'AR-AGT-003', message: `agent.adapter: ${path} ${what}`, remedy, exit: 'config' });
}
