import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EXIT } from '../util/exit-codes.ts';
import { packageRoot } from '../util/package.ts';
import { commandLineOf, instanceOf, plainValue, quotedWord, unitName } from './unit-text.ts';

export type UnitKind = 'user' | 'system';

/** A supervisor that has not moved for so long is frozen, seconds. It says three times in this time that it moves. */
const WATCHDOG_S = 120;

export interface UnitInput {
  kind: UnitKind;
  project: string;
  version: string;
  /** Absolute paths: this Node, our program, the configuration as it was loaded. */
  node: string;
  script: string;
  config: string;
  workDir: string;
  logDir: string;
  /** PATH for the agents. */
  path: string;
  /** Whom a system unit runs as. */
  user: string;
  group: string;
  stopS: number;
  /** Why sudo, setuid helpers and the like must work, or null. */
  needsPrivileges: string | null;
}

/** Exit codes after which only a person may start it again. */
export function finalCodes(): number[] {
  return Object.values(EXIT)
    .filter(({ final }) => final)
    .map(({ code }) => code);
}

/** The unit file of a project, from the template in systemd/. Throws AR-SVC-010 for what cannot stand in a unit. */
export function renderUnit(input: UnitInput): string {
  const serve = [input.node, input.script, 'serve', '--config', input.config] as const;
  const reload = [input.node, input.script, 'reload', '--config', input.config] as const;
  return fill(template(input.kind), {
    UNIT: unitName(input.project),
    DESCRIPTION: plainValue('the name of the project', `agent-runner for ${input.project}`),
    WORK_DIR: plainValue('work_dir', input.workDir),
    MOUNTS: `${quotedWord('work_dir', input.workDir)} ${quotedWord('log_dir', input.logDir)}`,
    EXEC_START: commandLineOf('the command of the service', serve),
    EXEC_RELOAD: commandLineOf('the command of the service', reload),
    PATH: quotedWord('PATH', `PATH=${input.path}`),
    ENV_FILE: plainValue('the name of the project', `${instanceOf(input.project)}.env`),
    STOP_S: String(input.stopS),
    PING_S: String(WATCHDOG_S / 3),
    WATCHDOG_S: String(WATCHDOG_S),
    FINAL_CODES: finalCodes().join(' '),
    NO_NEW_PRIVILEGES:
      input.needsPrivileges === null
        ? 'NoNewPrivileges=yes'
        : `# NoNewPrivileges is left out as well: ${plainValue('the agent', input.needsPrivileges)}`,
    USER: plainValue('the user', input.user),
    GROUP: plainValue('the group', input.group),
    CONFIG: JSON.stringify(input.config),
    VERSION: input.version,
  });
}

function template(kind: UnitKind): string {
  return readFileSync(join(packageRoot(), 'systemd', kind === 'user' ? 'agent-runner@.service' : 'agent-runner-system@.service'), 'utf8');
}

function fill(text: string, values: Record<string, string>): string {
  return text.replace(/@@([A-Z_]+)@@/g, (whole, name: string) => values[name] ?? whole);
}

/** What one of our own unit files says about itself; null for any other unit. Tells whose project a unit of that name belongs to. */
export function readOwnUnit(text: string): { config: string; version: string } | null {
  const section = text.split(/^\[X-AgentRunner\]$/m)[1];
  const config = /^Config=(".*")$/m.exec(section ?? '')?.[1];
  if (config === undefined) return null;
  try {
    return { config: String(JSON.parse(config)), version: /^Version=(.*)$/m.exec(section ?? '')?.[1] ?? '' };
  } catch {
    return null;
  }
}
