import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readSync, realpathSync } from 'node:fs';
import { isAbsolute, resolve, sep } from 'node:path';
import { isInterpreter } from '../config/hook-name.ts';
import { homeFolder } from '../config/paths.ts';
import { resolveBinary } from '../process/find-program.ts';
import { tryWriteJson, writeJson } from '../state/atomic.ts';
import type { Layout } from '../state/layout.ts';
import { removeFile } from '../state/remove.ts';
import { readState } from '../state/serve-state.ts';
import { messageOf } from '../util/errors.ts';

/** Where agents write by their trade: what lies there may be theirs. */
export interface Reach {
  workDir: string;
  logDir: string;
  /** PATH, as the hooks get it. */
  path: string | undefined;
}

/** Notices when a program of the user's that lies where agents write is no longer what it was. */
export interface ProgramGuard {
  /** Files of this command that are not what was accepted; a new command's are accepted as they are. */
  changed(argv: readonly string[], reach: Reach): string[];
  /** Whether nobody was told yet that these are as they are now. */
  isNews(paths: readonly string[]): boolean;
}

type Digests = Record<string, string>;

interface ProgramsState {
  accepted: Digests;
  /** A change was seen and nobody has answered: the next supervisor goes by these digests too. */
  suspect: boolean;
}

/** A script has a few kilobytes; of what is larger size and time have to do. */
const LARGEST_HASHED_BYTES = 16 * 1024 * 1024;

/**
 * `commands` are accepted as they are now, unless an agent may have had them in hand meanwhile: after a change that nobody answered, and
 * after a supervisor that died during a round (`recovered`), the digests from before stay in force. Docs: docs/decisions/hook-programs.md.
 */
export function guardPrograms(paths: Layout, commands: readonly (readonly string[])[], reach: Reach, recovered: boolean): ProgramGuard {
  const before = readState(paths.hookPrograms, asPrograms);
  const kept = before !== null && (before.suspect || recovered) ? before.accepted : {};
  const state: ProgramsState = { accepted: { ...digestsOf(commands, reach), ...kept }, suspect: before?.suspect === true };
  const save = () => void tryWriteJson(paths.hookPrograms, state);
  if (Object.keys(state.accepted).length > 0 || before !== null) save();
  const told = new Set<string>();
  return {
    isNews(changed) {
      const fresh = changed.map((path) => `${path} ${digestOf(path)}`).filter((now) => !told.has(now));
      for (const now of fresh) told.add(now);
      return fresh.length > 0;
    },
    changed(argv, where) {
      const now = digestsOf([argv], where);
      const answers = readState(paths.hooksAck, asDigests) ?? {};
      let touched = false;
      const changed = Object.entries(now).flatMap(([path, digest]) => {
        const accepted = state.accepted[path];
        if (accepted === digest) return [];
        if (accepted !== undefined && answers[path] !== digest) return [path];
        state.accepted[path] = digest;
        touched = true;
        return [];
      });
      const suspect = changed.length > 0 || (state.suspect && !isAllAccepted(state.accepted));
      if (touched || suspect !== state.suspect) {
        state.suspect = suspect;
        save();
      }
      if (!suspect) removeFile(paths.hooksAck);
      return changed;
    },
  };
}

/** `ack hooks`: a person has looked at the programs as they are now. */
export function acknowledgePrograms(paths: Layout, commands: readonly (readonly string[])[], reach: Reach): void {
  writeJson(paths.hooksAck, digestsOf(commands, reach));
}

/** Whether no file of this command is another than serve accepted. For onlookers: accepts nothing and tells nobody. */
export function isAsAccepted(paths: Pick<Layout, 'hookPrograms'>, argv: readonly string[], reach: Reach): boolean {
  const accepted = readState(paths.hookPrograms, asPrograms)?.accepted ?? {};
  return Object.entries(digestsOf([argv], reach)).every(([path, digest]) => accepted[path] === undefined || accepted[path] === digest);
}

/**
 * The command as it is started: the program found on PATH, `~/` expanded in every part, as a shell would, a relative program counted from
 * work_dir, as paths are everywhere. Null when there is no such program.
 */
export function startable(argv: readonly string[], { workDir, path }: Reach): [string, ...string[]] | null {
  const [program = '', ...args] = argv.map(expanded);
  const found = resolveBinary(program, path, workDir);
  return found === null ? null : [found, ...args];
}

function expanded(text: string): string {
  const home = text.startsWith('~/') ? homeFolder() : null;
  return home === null ? text : resolve(home, text.slice(2));
}

/** Files that a command names and that lie in work_dir or log_dir, by their own path or behind a link; as far as they exist. */
export function filesInReach(argv: readonly string[], reach: Reach): string[] {
  const [program = '', ...args] = argv.map(expanded);
  const found = resolveBinary(program, reach.path, reach.workDir);
  const own = found ?? (program.includes('/') ? resolve(reach.workDir, program) : null);
  const named = args.filter((text) => isScript(program, text)).map((text) => resolve(reach.workDir, text));
  const folders = [reach.workDir, reach.logDir].flatMap((folder) => [folder, real(folder) ?? folder]);
  const within = (path: string) => folders.some((folder) => path.startsWith(folder.endsWith(sep) ? folder : folder + sep));
  const candidates = [...(own === null ? [] : [own]), ...named.filter((path) => isFile(path))];
  return [...new Set(candidates)].filter((path) => isAbsolute(path) && (within(path) || within(real(path) ?? path)));
}

/** The script that an interpreter (`sh`, `python3`, `env` ...) is to run and that is not there, as a full path; null when all is well. */
export function missingScript(argv: readonly string[], reach: Reach): string | null {
  const [program = '', script = ''] = argv.map(expanded);
  if (!isInterpreter(program) || script.startsWith('-') || !/[/]|\.\w+$/.test(script) || script.includes('=')) return null;
  const path = resolve(reach.workDir, script);
  // Shells also look for a bare name on PATH.
  return isFile(path) || (!script.includes('/') && resolveBinary(script, reach.path, reach.workDir) !== null) ? null : path;
}

/** An argument that is executed, as far as one can tell: data files may change. */
function isScript(program: string, text: string): boolean {
  if (text === '' || text.startsWith('-') || /\s/.test(text)) return false;
  return isInterpreter(program) || /\.(?:sh|bash|py|[cm]?[jt]s|rb|pl|php)$/.test(text);
}

function digestsOf(commands: readonly (readonly string[])[], reach: Reach): Digests {
  const files = commands.flatMap((argv) => filesInReach(argv, reach));
  return Object.fromEntries(files.map((path) => [path, digestOf(path)]));
}

function digestOf(path: string): string {
  let descriptor: number | null = null;
  try {
    // An agent may have put a FIFO there.
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const { size, mtimeMs, mode } = fstatSync(descriptor);
    const hash = createHash('sha256').update(`${real(path)}\0${mode & 0o7777}\0`);
    if (size > LARGEST_HASHED_BYTES) return hash.update(`${size} ${mtimeMs}`).digest('hex');
    const chunk = Buffer.allocUnsafe(64 * 1024);
    for (let at = 0; at < size; ) {
      const read = readSync(descriptor, chunk, 0, chunk.length, at);
      if (read === 0) break;
      hash.update(chunk.subarray(0, read));
      at += read;
    }
    return hash.digest('hex');
  } catch (error) {
    return `unreadable: ${messageOf(error).split(',', 1)[0]}`;
  } finally {
    if (descriptor !== null) closeSync(descriptor);
  }
}

function isFile(path: string): boolean {
  let descriptor: number | null = null;
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    return fstatSync(descriptor).isFile();
  } catch {
    return false;
  } finally {
    if (descriptor !== null) closeSync(descriptor);
  }
}

function real(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}

function asDigests(value: unknown): Digests | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  return Object.fromEntries(Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}

function asPrograms(value: unknown): ProgramsState | null {
  const { accepted, suspect } = (value ?? {}) as Record<string, unknown>;
  const digests = asDigests(accepted);
  return digests === null ? null : { accepted: digests, suspect: suspect === true };
}

function isAllAccepted(accepted: Digests): boolean {
  return Object.entries(accepted).every(([path, digest]) => digestOf(path) === digest);
}
