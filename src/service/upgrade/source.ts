import { resolve } from 'node:path';
import { RunnerError } from '../../util/errors.ts';

/** What to install, as npm is told. */
export interface Source {
  spec: string;
  kind: 'name' | 'tarball' | 'folder';
}

/** Names where `upgrade` installs from; of the operator's environment, because the configuration lies where an agent can write. */
export const SOURCE_VARIABLE = 'AGENT_RUNNER_UPGRADE_SOURCE';

/** A package name of npm, perhaps with a scope. */
const NAME = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/;
/** A version, or a word such as `latest`. */
const VERSION = /^[A-Za-z0-9][A-Za-z0-9.+_-]*$/;

/**
 * From `--target` and the operator's source. There is no default: a name on a public registry may belong to anybody. Throws AR-UPG-001
 * when nobody said where to install from, AR-UPG-002 when what was said cannot be meant.
 */
export function chooseSource(target: string | null, configured: string | undefined, cwd: string): Source {
  if (target !== null && isFile(target)) return fileSource(target, cwd);
  if (!configured) {
    throw new RunnerError({
      code: 'AR-UPG-001',
      message:
        target === null
          ? 'nobody has said where to install from'
          : `nobody has said of which package ${JSON.stringify(target)} is a version`,
      remedy: `set ${SOURCE_VARIABLE} to a package name, a tarball or a folder, or give one: agent-runner upgrade --target ./agent-runner-1.2.3.tgz`,
    });
  }
  if (isFile(configured)) {
    if (target === null) return fileSource(configured, cwd);
    throw unusable(
      `--target ${JSON.stringify(target)} is a version, and ${SOURCE_VARIABLE} is a file or folder (${configured}), which has only one`,
    );
  }
  const [name, ownVersion] = splitName(configured);
  if (!NAME.test(name)) throw unusable(`${SOURCE_VARIABLE} is no package name, tarball or folder: ${JSON.stringify(configured)}`);
  const version = target ?? ownVersion ?? 'latest';
  if (!VERSION.test(version)) throw unusable(`${JSON.stringify(version)} is no version`);
  return { spec: `${name}@${version}`, kind: 'name' };
}

/** By its form alone: a folder that happens to be called like a version is written `./1.2.3`. */
function isFile(text: string): boolean {
  return /^(?:\.{0,2}\/|~\/|\.{1,2}$|file:|https?:\/\/)/.test(text) || isTarball(text);
}

function isTarball(text: string): boolean {
  return /\.(?:tgz|tar\.gz)$/.test(text);
}

function fileSource(text: string, cwd: string): Source {
  if (/^https?:\/\//.test(text)) {
    if (!isTarball(text)) throw unusable(`${JSON.stringify(text)} is no tarball (.tgz, .tar.gz)`);
    return { spec: text, kind: 'tarball' };
  }
  const home = text.startsWith('~/') ? (process.env.HOME ?? '') + text.slice(1) : text;
  return { spec: resolve(cwd, home.replace(/^file:/, '')), kind: isTarball(text) ? 'tarball' : 'folder' };
}

/** `@scope/name@1.2.3`: the last @ that does not begin the name. */
function splitName(text: string): [name: string, version: string | null] {
  const at = text.lastIndexOf('@');
  return at > 0 ? [text.slice(0, at), text.slice(at + 1)] : [text, null];
}

function unusable(message: string): RunnerError {
  return new RunnerError({ code: 'AR-UPG-002', message, remedy: 'take a package name with a version, a tarball, or a folder' });
}
