import type { DoctorCheck } from './check.ts';
import { agents, envFiles, prompts } from './checks/agents.ts';
import { cgroup } from './checks/cgroup.ts';
import { configuration, inForce } from './checks/configuration.ts';
import { containers } from './checks/containers.ts';
import { credentials } from './checks/credentials.ts';
import { disk } from './checks/disk.ts';
import { home, inherited, path, user } from './checks/environment.ts';
import { guards } from './checks/guards.ts';
import { hooks } from './checks/hooks.ts';
import { leftovers } from './checks/leftovers.ts';
import { limits } from './checks/limits.ts';
import { linger } from './checks/linger.ts';
import { logDir } from './checks/log-dir.ts';
import { node } from './checks/node.ts';
import { pidOne } from './checks/pid-one.ts';
import { git, helpers } from './checks/programs.ts';
import { reaping } from './checks/reaping.ts';
import { identity, logDirPlace, state, workDir } from './checks/repository.ts';
import { asked, inFlight, service } from './checks/service.ts';
import { stopBudget } from './checks/stop-budget.ts';
import { temporary } from './checks/temporary.ts';
import { phasePlan } from './plan.ts';

/** Every check, in the order in which they are told. */
export const CHECKS: readonly DoctorCheck[] = [
  node,
  path,
  home,
  user,
  temporary,
  helpers,
  git,
  pidOne,
  inherited,
  configuration,
  inForce,
  agents,
  prompts,
  envFiles,
  hooks,
  credentials,
  limits,
  containers,
  workDir,
  identity,
  state,
  logDir,
  logDirPlace,
  disk,
  service,
  inFlight,
  asked,
  leftovers,
  cgroup,
  reaping,
  linger,
  stopBudget,
  guards,
  phasePlan,
];
