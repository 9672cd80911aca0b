import type { ConfigStep } from '../config/in-use.ts';
import type { LoadedConfig } from '../config/load.ts';
import type { Problem } from '../config/problems.ts';
import type { Profile } from '../config/profile.ts';
import type { TreeState } from '../git/tree.ts';
import type { CgroupFacts } from '../process/cgroup.ts';
import type { ServiceTarget } from '../service/target.ts';
import type { Layout } from '../state/layout.ts';
import type { Clock } from '../util/clock.ts';

/** `failed`: no round can start, or a promise is broken; doctor exits 1. `skipped`: not looked at, and why. */
export type Status = 'ok' | 'info' | 'warning' | 'failed' | 'skipped';

/** What one look found; one line for people. */
export interface Finding {
  status: Status;
  summary: string;
  /** What a person can do. */
  remedy?: string;
  /** AR-..., where the same thing has a code elsewhere. */
  code?: string;
  /** Which of several things of one kind: a phase, a folder. */
  of?: string;
  /** The figures behind it, for machines. Never a secret, never an environment variable's value beyond PATH and folders. */
  facts?: Record<string, unknown>;
}

/** What is found out elsewhere and handed in, so that doctor and the parts that act on it cannot disagree. */
export interface HostFacts {
  /** Engines and problems of container prefixes, of all phases; asks each engine at most two short questions. */
  containers: (project: ProjectContext, env: NodeJS.ProcessEnv) => Promise<ContainerFinding[]>;
  /** What this host's control groups let a supervisor do. */
  cgroup: CgroupFacts;
  /** How long a stop may take at most, in seconds. */
  stopBudgetS: (loaded: LoadedConfig) => number;
  /** The guards of `serve`, with their state here. */
  guards: (loaded: LoadedConfig) => { name: string; value: string; current_state: 'active' | 'degraded' | 'off' }[];
}

export interface ContainerFinding {
  of: string;
  severity: 'ok' | 'warning' | 'error';
  code?: string;
  message: string;
  remedy?: string;
  facts?: Record<string, unknown>;
}

/** Everything that is known of the project once its configuration could be read. */
export interface ProjectContext {
  loaded: LoadedConfig;
  /** Whether the file is the configuration that is in force. */
  inForce: ConfigStep['file'];
  paths: Layout;
  /** For what runs `serve` here. */
  target: ServiceTarget;
  /** The base profile first, then one per phase that brings an agent or a prompt of its own. */
  profiles: { label: string; profile: Profile }[];
  tree: TreeState;
}

export interface DoctorContext {
  configPath: string;
  /** Why there is no project: every problem of the file. */
  problems: readonly Problem[];
  project: ProjectContext | null;
  env: NodeJS.ProcessEnv;
  clock: Clock;
  platform: NodeJS.Platform;
  /** How many rounds to plan. */
  rounds: number;
  host: HostFacts;
}

/** One file, one line in list.ts. Starts nothing but short questions to programs, writes nothing but a probe that it removes. */
export interface DoctorCheck {
  name: string;
  /** For docs/doctor.md. */
  what: string;
  run(context: DoctorContext): Finding[] | Promise<Finding[]>;
}

/** A check that makes sense only with a configuration. */
export function projectCheck(
  name: string,
  what: string,
  run: (project: ProjectContext, context: DoctorContext) => Finding[] | Promise<Finding[]>,
): DoctorCheck {
  return {
    name,
    what,
    run: (context) => (context.project === null ? [SKIPPED] : run(context.project, context)),
  };
}

export const WITHOUT_CONFIGURATION = 'not looked at: the configuration must be mended first';

const SKIPPED: Finding = { status: 'skipped', summary: WITHOUT_CONFIGURATION };
