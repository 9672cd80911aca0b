import { chmodSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { runCommand } from '../../process/command.ts';
import { RunnerError } from '../../util/errors.ts';
import { packageRoot } from '../../util/package.ts';
import { homeFolder, projectName } from '../paths.ts';
import type { Config } from '../schema.ts';
import { agentImage, imageName } from './agent-images.ts';
import { composeProject, renderCompose, withGrace } from './compose.ts';
import type { ContainerCli } from './exec-prefix.ts';
import { lookAt, replaceKeeping, writeIn, writeNew } from './write.ts';

export interface DeployWish {
  container: ContainerCli | null;
  compose: boolean;
  /** Replace what is there, keeping it beside as a backup. */
  force: boolean;
  /** The stop budget of this configuration, whole seconds. */
  stopBudgetS: (config: Config) => number;
}

/** Paths are absolute. */
export interface DeployReport {
  written: string[];
  kept: string[];
  backups: string[];
  /** What must not be committed: it belongs to this machine, or is a build product. */
  local: string[];
  /** Where secrets go, null without --compose. */
  env_file: string | null;
  /** `stop_grace_period`, null without --compose. */
  grace_s: number | null;
  /** The command that builds the agent's image, null without --container. */
  build: string | null;
  /** Why the program could not be packed. */
  pack_problem: string | null;
}

const NO_DEPLOY: DeployReport = {
  written: [],
  kept: [],
  backups: [],
  local: [],
  env_file: null,
  grace_s: null,
  build: null,
  pack_problem: null,
};

/** Lines of `.gitignore`, relative to the folder of the configuration. */
export function deployIgnores({ agent }: Config, { container, compose }: Pick<DeployWish, 'container' | 'compose'>): string[] {
  if (container === null && !compose) return [];
  return ['deploy/agent-runner-*.tgz', 'deploy/*.bak*', ...(compose && hasOwnContainer(agent) ? ['deploy/.env'] : [])];
}

/** Whether each round is a container by docker, so that a supervisor in a container needs the engine's socket. */
function hasOwnContainer({ exec_prefix: prefix }: Config['agent']): boolean {
  return prefix.some((token) => basename(token) === 'docker');
}

/** Throws AR-INI-008 for `--compose` with a prefix that asks podman: no file is shipped for that. */
export function refusePodman({ agent }: Config, { compose }: Pick<DeployWish, 'compose'>): void {
  if (!compose || !agent.exec_prefix.some((token) => basename(token) === 'podman')) return;
  throw new RunnerError({
    code: 'AR-INI-008',
    message: '--compose does not go with rounds by podman: no file is shipped for a supervisor that asks podman from a container',
    remedy: 'run serve on the host, or take --compose without a podman exec_prefix (podman-compose reads that file too)',
    exit: 'usage',
  });
}

/**
 * Writes `deploy/` below the folder of the configuration. A file that is there is kept, except that its `stop_grace_period` is put right:
 * it must follow `round_timeout_s`. Throws AR-INI-004 when something cannot be written.
 */
export async function writeDeploy(folder: string, config: Config, wish: DeployWish): Promise<DeployReport> {
  const { container, compose, force } = wish;
  if (container === null && !compose) return NO_DEPLOY;
  const report: DeployReport = { ...NO_DEPLOY, written: [], kept: [], backups: [], local: [] };
  const identity = agentName(config.agent);
  const { install } = agentImage(identity);
  const { uid, gid } = ownerOf(folder);
  const ownContainer = hasOwnContainer(config.agent);
  const put = (name: string, text: string) => {
    const path = join(folder, 'deploy', name);
    if (lookAt(path) === null) writeNew(path, text);
    else if (!force || readFileSync(path, 'utf8') === text) return void report.kept.push(path);
    else report.backups.push(replaceKeeping(path, text));
    report.written.push(path);
  };

  put('Dockerfile', shipped('Dockerfile'));
  put('.dockerignore', shipped('.dockerignore'));
  if (container !== null) report.build = buildCommand({ container, identity, install, uid, gid });
  if (compose || identity === BUNDLED) await packInto(join(folder, 'deploy'), report);
  if (!compose) return report;

  const project = projectName(folder);
  const graceS = wish.stopBudgetS(config);
  report.grace_s = graceS;
  const template = shipped(ownContainer ? 'docker-compose.exec-prefix.yml' : 'docker-compose.yml');
  const path = join(folder, 'deploy', 'docker-compose.yml');
  put(
    'docker-compose.yml',
    renderCompose(template, { project, image: imageName(identity), agentTarget: targetOf(identity), install, uid, gid, graceS }),
  );
  if (report.kept.includes(path) && setGrace(path, graceS)) {
    report.kept.splice(report.kept.indexOf(path), 1);
    report.written.push(path);
  }
  put('.env', ownContainer ? `${projectEnv(project)}${machineEnv(folder)}` : projectEnv(project));
  if (ownContainer) report.local.push(join(folder, 'deploy', '.env'));
  report.env_file = writeEnvFile(project, agentImage(identity).credentials, report);
  return report;
}

/** Under what name the images know the agent: the bundled one is a script, whose own identity would be `node`. */
export function agentName({ adapter, command }: Pick<Config['agent'], 'adapter' | 'command'>): string {
  return adapter === BUNDLED ? BUNDLED : basename(command[0]);
}

const BUNDLED = 'demo';

/** The image's user is never root, whoever owns the tree. */
export function ownerOf(folder: string): { uid: number; gid: number } {
  const { uid, gid } = statSync(folder);
  return uid === 0 ? { uid: 1000, gid: 1000 } : { uid, gid };
}

function shipped(name: string): string {
  const path = join(packageRoot(), 'deploy', name);
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new RunnerError({ code: 'AR-INI-007', message: `${path} is missing`, remedy: 'install agent-runner again', cause });
  }
}

function setGrace(path: string, graceS: number): boolean {
  const before = readFileSync(path, 'utf8');
  const after = withGrace(before, graceS);
  if (after !== before) writeIn(path, after);
  return after !== before;
}

function projectEnv(project: string): string {
  return `# Read by Compose from beside its file.\n# Without it every project that has its files in deploy/ would be one and the same.\nCOMPOSE_PROJECT_NAME=${composeProject(project)}\n`;
}

/** What the supervisor's container must know of this machine. */
function machineEnv(folder: string): string {
  const gid = statSync('/var/run/docker.sock', { throwIfNoEntry: false })?.gid ?? 999;
  const path = /^[\w@%+=:,./-]+$/.test(folder) ? folder : `'${folder}'`;
  return `# The work tree, called inside as it is outside.\nAGENT_RUNNER_WORK_DIR=${path}\n# stat -c %g /var/run/docker.sock\nDOCKER_GID=${gid}\n`;
}

/** Outside the work tree: the agent would commit it sooner or later. */
function writeEnvFile(project: string, credentials: readonly string[], report: DeployReport): string | null {
  const home = homeFolder();
  if (home === null) return null;
  const path = join(home, '.agent-runner', project, 'env');
  if (lookAt(path) !== null) {
    report.kept.push(path);
    return path;
  }
  writeNew(path, ['# Secrets of the agent: KEY=value, one a line.', ...credentials.map((name) => `# ${name}=`), ''].join('\n'));
  chmodSync(path, 0o600);
  report.written.push(path);
  report.local.push(path);
  return path;
}

/** The program as it is installed here, packed for the image's build. A failure is told and nothing more. */
async function packInto(folder: string, report: DeployReport): Promise<void> {
  const argv = ['npm', 'pack', '--ignore-scripts', '--json', '--pack-destination', folder, packageRoot()] as const;
  const result = await runCommand([...argv], { timeoutMs: 60_000 });
  const name = result.code === 0 ? /"filename":\s*"([^"]+\.tgz)"/.exec(result.stdout)?.[1] : undefined;
  if (name === undefined) {
    const why = result.spawnError ?? result.stderr.trim().split('\n').at(-1) ?? '';
    report.pack_problem = `npm pack: ${why === '' ? `exit ${result.code}` : why}`;
    return;
  }
  for (const other of readdirSync(folder)) {
    if (/^agent-runner-\d.*\.tgz$/.test(other) && other !== name) rmSync(join(folder, other));
  }
  report.written.push(join(folder, name));
  report.local.push(join(folder, name));
}

/** Whether the prefix gets `--userns=keep-id`. */
export function keepsId(container: ContainerCli): boolean {
  return container === 'podman' && process.getuid?.() !== 0;
}

/** The bundled agent comes with the program. */
function targetOf(identity: string): 'agent' | 'agent-runner' {
  return identity === BUNDLED ? 'agent-runner' : 'agent';
}

interface Build {
  container: ContainerCli;
  identity: string;
  install: string;
  uid: number;
  gid: number;
}

function buildCommand({ container, identity, install, uid, gid }: Build): string {
  // Rootless podman makes whoever runs it the image's user.
  const asIs = keepsId(container) || (uid === 1000 && gid === 1000);
  const user = asIs ? '' : ` --build-arg AGENT_UID=${uid} --build-arg AGENT_GID=${gid}`;
  const slot = install === '' ? '' : ` --build-arg AGENT_INSTALL='${install}'`;
  return `${container} build --target ${targetOf(identity)} -t ${imageName(identity)}${user}${slot} deploy`;
}
