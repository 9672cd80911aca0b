import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { dirname, isAbsolute } from 'node:path';
import { parse } from 'smol-toml';
import { errnoOf, messageOf } from '../util/errors.ts';
import { pathProblem, projectName, resolveInProject, resolveWorkDir } from './paths.ts';

/** Where a project keeps its state, found without the schema: `peek` and the verbs that signal `serve` must be quick and must work while the file is broken. */
export interface Located {
  configPath: string;
  /** Why the file could not be taken as it is, or null. */
  problem: LocateProblem | null;
  project: string;
  workDir: string | null;
  logDir: string | null;
  /** `text`: the file is no valid TOML, but its `log_dir = "..."` line is readable. */
  logDirFrom: 'config' | 'text' | 'environment' | null;
  /** The file as it is now; null when it could not be read. */
  text: string | null;
  /** The parsed file, unchecked. */
  document: Record<string, unknown>;
}

export interface LocateProblem {
  kind: 'missing' | 'unreadable' | 'broken';
  /** One line, without the file's name. */
  message: string;
}

/** A configuration is a few kilobytes; anything longer is somebody else's file, and reading it would make `peek` slow. */
const MAX_BYTES = 1024 * 1024;

/**
 * The one resolution that every verb but `serve`, `round` and `init` uses, so that no two of them look at different projects.
 * `AGENT_RUNNER_LOG_DIR` counts only when nobody named a file (`explicit`) and the default one does not tell.
 */
export function locateProject(path: string, explicit: boolean, env: NodeJS.ProcessEnv = process.env): Located {
  const folder = dirname(path);
  const located: Located = {
    configPath: path,
    problem: null,
    project: projectName(folder),
    workDir: null,
    logDir: null,
    logDirFrom: null,
    text: null,
    document: {},
  };
  const read = readConfigText(path);
  if ('problem' in read) located.problem = read.problem;
  else fillFromText(located, read.text);

  const inherited = env.AGENT_RUNNER_LOG_DIR;
  if (located.logDir === null && !explicit && inherited !== undefined && isAbsolute(inherited) && pathProblem(inherited) === null) {
    located.logDir = inherited;
    located.logDirFrom = 'environment';
  }
  return located;
}

function fillFromText(located: Located, text: string): void {
  let raw: { work_dir: unknown; log_dir: unknown };
  located.text = text;
  try {
    located.document = parse(text) as Record<string, unknown>;
    const runtime = tableOf(located.document.runtime);
    raw = { work_dir: runtime.work_dir, log_dir: runtime.log_dir };
  } catch (error) {
    located.problem = { kind: 'broken', message: firstLine(messageOf(error)) };
    raw = { work_dir: assignedString(text, 'work_dir'), log_dir: assignedString(text, 'log_dir') };
  }
  const workDir = usablePath(raw.work_dir);
  const logDir = usablePath(raw.log_dir);
  if (workDir !== null) {
    located.workDir = resolveWorkDir(workDir, located.configPath);
    located.project = projectName(located.workDir);
  }
  if (logDir !== null) {
    const base = located.workDir ?? dirname(located.configPath);
    located.logDir = resolveInProject(logDir, { workDir: base, project: located.project });
    located.logDirFrom = located.problem === null ? 'config' : 'text';
  }
  if (located.problem === null && (workDir === null || logDir === null)) {
    const key = workDir === null ? 'runtime.work_dir' : 'runtime.log_dir';
    located.problem = { kind: 'broken', message: `${key} is missing or is not a usable path` };
  }
}

function readConfigText(path: string): { text: string } | { problem: LocateProblem } {
  const unreadable = (message: string) => ({ problem: { kind: 'unreadable', message } as const });
  if (pathProblem(path) !== null) return unreadable(`the path of the file ${pathProblem(path)}`);
  let descriptor: number | null = null;
  try {
    // Reading a FIFO would wait for a writer for ever.
    if (!statSync(path).isFile()) return unreadable('it is not a regular file');
    descriptor = openSync(path, 'r');
    const bytes = Buffer.allocUnsafe(MAX_BYTES + 1);
    let length = 0;
    for (let got = -1; got !== 0 && length < bytes.length; length += got)
      got = readSync(descriptor, bytes, length, bytes.length - length, null);
    if (length > MAX_BYTES) return unreadable('it is longer than 1 MiB');
    return { text: bytes.toString('utf8', 0, length) };
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === 'ENOENT') return { problem: { kind: 'missing', message: 'there is no such file' } };
    return unreadable(`it cannot be read (${errno ?? messageOf(error)})`);
  } finally {
    if (descriptor !== null) closeSync(descriptor);
  }
}

/** The value of a plain `key = "..."` line, for a file that no TOML parser accepts. */
function assignedString(text: string, key: string): string | undefined {
  const found = new RegExp(`^[ \\t]*${key}[ \\t]*=[ \\t]*(?:"([^"\\\\\\r\\n]*)"|'([^'\\r\\n]*)')`, 'm').exec(text);
  return found?.[1] ?? found?.[2];
}

function usablePath(value: unknown): string | null {
  return typeof value === 'string' && pathProblem(value) === null ? value : null;
}

function tableOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? text;
}
