import { readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { homeFolder } from '../config/paths.ts';
import { unitName } from './unit-text.ts';
import { readOwnUnit, type UnitKind } from './units.ts';

/** A unit that is on disk under the name of a project. */
export interface UnitFile {
  kind: UnitKind;
  name: string;
  path: string;
  text: string;
  /** Runs this very configuration: ours, or the predecessor's. */
  ours: boolean;
  /** The configuration that it says it runs; null when somebody else has written it. */
  config: string | null;
}

const SYSTEM_FOLDER = '/etc/systemd/system';

/** Where units of that kind are written; null without a home. */
function unitFolder(kind: UnitKind, env: NodeJS.ProcessEnv = process.env): string | null {
  if (kind === 'system') return SYSTEM_FOLDER;
  const { XDG_CONFIG_HOME: given } = env;
  const home = homeFolder();
  if (given?.startsWith('/')) return join(given, 'systemd', 'user');
  return home === null ? null : join(home, '.config', 'systemd', 'user');
}

export function unitPath(kind: UnitKind, project: string, env: NodeJS.ProcessEnv = process.env): string | null {
  const folder = unitFolder(kind, env);
  return folder === null ? null : join(folder, unitName(project));
}

/** Null when there is none, or when no unit can have that name. */
export function findUnit(kind: UnitKind, project: string, configPath: string): UnitFile | null {
  try {
    const path = unitPath(kind, project);
    if (path === null) return null;
    const text = readFileSync(path, 'utf8');
    const config = readOwnUnit(text)?.config ?? null;
    const ours = config === null ? isPredecessors(text, configPath) : samePath(config, configPath);
    return { kind, name: unitName(project), path, text, ours, config };
  } catch {
    return null;
  }
}

/** The Python predecessor's unit has no section of its own, but the same name and the same configuration on its command line. */
function isPredecessors(text: string, configPath: string): boolean {
  return text.split('\n').some((line) => line.startsWith('ExecStart=') && line.includes(`serve --config ${configPath}`));
}

function samePath(one: string, other: string): boolean {
  return one === other || real(one) === real(other);
}

function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
