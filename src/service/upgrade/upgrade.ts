import { accessSync, constants, copyFileSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Emit } from '../../events/emit.ts';
import { acquireLock } from '../../state/lock.ts';
import type { Clock } from '../../util/clock.ts';
import { seconds } from '../../util/duration.ts';
import { messageOf, RunnerError } from '../../util/errors.ts';
import { type Backup, backUp } from './backup.ts';
import type { ServiceControl } from './control.ts';
import { besideModules, globallyAt, type Installation, readManifest } from './installation.ts';
import { installGlobally, installInProject, type Packed, pack } from './npm.ts';
import { askMigrate, smoke } from './smoke.ts';
import type { Source } from './source.ts';

export interface UpgradeRequest {
  source: Source;
  installation: Installation;
  /** Null: nobody starts `serve` again, so only the package is replaced. */
  service: ServiceControl | null;
  /** The project's configuration; null where there is none. */
  configPath: string | null;
  env: NodeJS.ProcessEnv;
  clock: Clock;
  emit: Emit;
  /** One line for each step, as it begins. */
  note: (words: string) => void;
}

export interface UpgradeReport {
  result: 'up_to_date' | 'upgraded' | 'rolled_back' | 'rollback_failed';
  from_version: string;
  to_version: string;
  /** `serve` was stopped before and runs again. */
  restarted: boolean;
  failure_reason: string | null;
  /** What is left for a person when `serve` was not restarted. */
  restart_command: string | null;
  duration_s: number;
}

/**
 * Installs another version in the place of this one: packs it once, tries it out in a folder of its own, and only then stops the service,
 * installs, tries it again, starts. What fails after the stop is undone. Throws a RunnerError for everything that is refused before.
 * All that it needs is loaded before: the files that this very program runs from are replaced meanwhile.
 */
export async function upgrade(request: UpgradeRequest): Promise<UpgradeReport> {
  const { installation } = request;
  const lockFile = join(besideModules(installation), '.agent-runner-upgrade.lock');
  requireWritable(installation);
  const lock = await acquireLock(lockFile);
  if (lock === null)
    throw new RunnerError({ code: 'AR-UPG-008', message: `another upgrade of ${installation.folder} is running`, remedy: 'wait for it' });
  const scratch = mkdtempSync(join(tmpdir(), 'agent-runner-upgrade-'));
  try {
    return await upgradeLocked(request, scratch);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
    rmSync(lockFile, { force: true });
    lock.release();
  }
}

function requireWritable(installation: Installation): void {
  const folders = [besideModules(installation), join(besideModules(installation), 'node_modules'), installation.folder];
  try {
    for (const folder of folders) accessSync(folder, constants.W_OK);
  } catch (cause) {
    throw new RunnerError({
      code: 'AR-UPG-009',
      message: `${installation.folder} may not be replaced by this user`,
      remedy: 'run this as the user who installed it; agent-runner never uses sudo by itself',
      cause,
    });
  }
}

async function upgradeLocked(request: UpgradeRequest, scratch: string): Promise<UpgradeReport> {
  const { source, installation, env, clock, note } = request;
  const since = clock.monotonic();
  const from = readManifest(installation.folder).version;
  note(`fetching ${source.spec}`);
  const packed = await pack(source, scratch, env);
  if (packed.name !== installation.name) {
    throw new RunnerError({
      code: 'AR-UPG-005',
      message: `${source.spec} is the package ${packed.name}, not ${installation.name}`,
      remedy: 'correct the source; nothing was changed',
    });
  }
  const report: Report = (result, rest = {}) => ({
    result,
    from_version: from,
    to_version: packed.version,
    restarted: false,
    failure_reason: null,
    restart_command: request.service?.restartCommand ?? null,
    duration_s: seconds(clock.monotonic() - since),
    ...rest,
  });
  if (source.kind === 'name' && packed.version === from) return report('up_to_date', { restart_command: null });
  await tryOut(request, packed, scratch);
  return replace(request, packed, from, report);
}

/** Before anything is touched: does the new version run here, and does it take the configuration? Throws AR-UPG-006, AR-UPG-007. */
async function tryOut({ configPath, env, note }: UpgradeRequest, packed: Packed, scratch: string): Promise<void> {
  note(`trying out ${packed.version}`);
  const stage = join(scratch, 'stage');
  await installGlobally(packed.tarball, stage, env);
  const folder = globallyAt(stage, packed.name);
  const problem = await smoke(folder, packed.version, null, env);
  if (problem !== null) {
    throw new RunnerError({
      code: 'AR-UPG-006',
      message: `${packed.version} does not run here: ${problem}`,
      remedy: 'nothing was changed',
    });
  }
  const manual = configPath === null ? [] : ((await askMigrate(folder, configPath, env, true))?.manual ?? []);
  if (manual.length === 0) return;
  const items = manual.map(({ line, key, message }) => `line ${line}: ${key === '' ? '' : `${key}: `}${message}`);
  throw new RunnerError({
    code: 'AR-UPG-007',
    message: `${packed.version} would not accept ${configPath}: ${items.slice(0, 5).join('; ')}`,
    remedy: 'mend these by hand, then upgrade; nothing was changed',
  });
}

type Report = (result: UpgradeReport['result'], rest?: Partial<UpgradeReport>) => UpgradeReport;

async function replace(request: UpgradeRequest, packed: Packed, from: string, report: Report): Promise<UpgradeReport> {
  const { installation, service, emit, note } = request;
  const wasActive = (await service?.isActive()) === true;
  if (service !== null && wasActive) {
    note('stopping the service; a round that runs may finish');
    await service.stop();
  }
  const undo: Undo = { backup: null, oldConfig: null };
  try {
    undo.backup = backUp(installation);
    note(`installing ${packed.version} into ${installation.prefix}`);
    await putInPlace(request, packed, undo);
    if (service !== null && wasActive) {
      note('starting the service');
      await service.start();
    }
  } catch (error) {
    return rollBack(request, undo, { from, attempted: packed.version, reason: messageOf(error), wasActive }, report);
  }
  undo.backup.discard();
  const done = report('upgraded', wasActive ? { restarted: true, restart_command: null } : {});
  const fields = { from_version: from, to_version: packed.version, duration_s: done.duration_s };
  if (service === null) emit('package_upgraded', fields);
  else emit('service_upgraded', fields);
  return done;
}

/** What has to be put back, filled in step by step. */
interface Undo {
  backup: Backup | null;
  /** The configuration before it was migrated. */
  oldConfig: string | null;
}

/** Installs, tries it in a fresh process, lets it migrate the configuration. Throws when one of these fails. */
async function putInPlace({ source, installation, configPath, env, note }: UpgradeRequest, packed: Packed, undo: Undo): Promise<void> {
  const { tarball, version, name } = packed;
  if (installation.global) await installGlobally(tarball, installation.prefix, env);
  else await installInProject(source.kind === 'name' ? `${name}@${version}` : source.spec, installation.prefix, env);
  const problem = await smoke(installation.folder, version, configPath, env);
  if (problem !== null) throw new Error(problem);
  undo.oldConfig = configPath === null ? null : ((await askMigrate(installation.folder, configPath, env, false))?.backup ?? null);
  if (undo.oldConfig !== null) note(`the configuration was migrated; the old one is ${undo.oldConfig}`);
}

interface Failure {
  from: string;
  attempted: string;
  reason: string;
  wasActive: boolean;
}

async function rollBack(request: UpgradeRequest, undo: Undo, failure: Failure, report: Report): Promise<UpgradeReport> {
  const { installation, service, configPath, env, emit, note } = request;
  const { from, attempted, reason, wasActive } = failure;
  note(`${attempted} did not come up (${reason}); putting ${from} back`);
  try {
    // A unit that failed is started again and again by its manager, and would now run on half-replaced files.
    if (service !== null && wasActive && (await service.isActive())) await service.stop();
    undo.backup?.restore();
    if (undo.oldConfig !== null && configPath !== null) copyFileSync(undo.oldConfig, realpathSync(configPath));
    const problem = await smoke(installation.folder, from, null, env);
    if (problem !== null) throw new Error(problem);
    if (service !== null && wasActive) await service.start();
  } catch (error) {
    const failed = `${reason}; then ${messageOf(error)}`;
    emit('service_upgrade_rollback_failed', { attempted_version: attempted, restore_target_version: from, failure_reason: failed });
    return report('rollback_failed', { failure_reason: failed });
  }
  const done = report('rolled_back', { failure_reason: reason, restarted: wasActive, restart_command: null });
  const { duration_s } = done;
  emit('service_upgrade_rolled_back', { attempted_version: attempted, restored_version: from, failure_reason: reason, duration_s });
  return done;
}
