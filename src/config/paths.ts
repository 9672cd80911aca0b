import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, resolve } from 'node:path';
import { RunnerError } from '../util/errors.ts';

/** What a path in the configuration may refer to. */
export interface PathBase {
  /** Absolute. */
  workDir: string;
  project: string;
  /** Defaults to this user's home. */
  home?: string;
}

/**
 * Control characters and line or paragraph separators: a newline in a path would inject a directive into a systemd unit, and a NUL
 * makes every system call throw a bare error. Asked before the path is resolved.
 */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]/u;

/** What is wrong with `raw` as a path (`is empty`, `contains the control character U+000A`), or null. */
export function pathProblem(raw: string): string | null {
  if (raw.trim() === '') return 'is empty';
  const found = UNPRINTABLE.exec(raw)?.[0];
  if (found === undefined) return null;
  const point = (found.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return `contains the control character U+${point}`;
}

/** The file of `--config`, absolute: the predecessor's default name in the current folder without one. Throws AR-CLI-011 when that is gone. */
export function configPath(option: string | undefined, cwd?: string): string {
  const path = expandHome(option ?? 'agent-runner.toml');
  return isAbsolute(path) ? resolve(path) : resolve(cwd ?? currentFolder(), path);
}

/** A folder that was removed has no name any more, and Node throws a bare ENOENT. */
function currentFolder(): string {
  try {
    return process.cwd();
  } catch (cause) {
    throw new RunnerError({
      code: 'AR-CLI-011',
      message: 'the current folder does not exist any more',
      remedy: 'go to another one, or name the project by --config with an absolute path',
      exit: 'environment',
      cause,
    });
  }
}

/** `runtime.work_dir`: relative to the folder of the configuration file, `{project}` being that folder's name. */
export function resolveWorkDir(raw: string, configFile: string, home?: string): string {
  const folder = dirname(configFile);
  return resolve(folder, expand(raw, projectName(folder), home));
}

/** Every other path: relative to `work_dir`. */
export function resolveInProject(raw: string, { workDir, project, home }: PathBase): string {
  return resolve(workDir, expand(raw, project, home));
}

/** `{project}` in path fields, and the name of the service: the last part of work_dir. */
export function projectName(workDir: string): string {
  return basename(workDir) || 'default';
}

function expand(raw: string, project: string, home?: string): string {
  return expandHome(
    raw.replaceAll('{project}', () => project),
    home,
  );
}

/** Only one's own home: `~name` is left as it is. */
function expandHome(raw: string, home?: string): string {
  if (raw !== '~' && !raw.startsWith('~/')) return raw;
  const folder = home ?? homeFolder();
  return folder === null ? raw : resolve(folder, raw.slice(2));
}

/** HOME may be unset (then the password file answers) or there may be no entry there either (a container's bare uid: it throws). */
export function homeFolder(): string | null {
  try {
    const folder = homedir();
    return isAbsolute(folder) ? folder : null;
  } catch {
    return null;
  }
}
