import { readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { RunnerError } from '../../util/errors.ts';
import { packageRoot } from '../../util/package.ts';
import { loadConfig, parseConfig } from '../load.ts';
import { pathProblem, projectName } from '../paths.ts';
import { type PresetName, presetText } from '../preset.ts';
import { agentImage, imageName } from './agent-images.ts';
import { choosePreset, type PresetWish } from './choose-preset.ts';
import { agentName, type DeployReport, type DeployWish, deployIgnores, keepsId, ownerOf, refusePodman, writeDeploy } from './deploy.ts';
import { detectAgents, type FoundAgent } from './detect.ts';
import { type ContainerCli, execPrefixToml, withExecPrefix } from './exec-prefix.ts';
import { commitFiles, hasChanges, notIgnored, requireWorkTree } from './git.ts';
import { appendIgnores, ignoreLines, lookAt, missingIgnores, replaceKeeping, unwritable, writeNew } from './write.ts';

export interface InitOptions extends PresetWish, Omit<DeployWish, 'force'> {
  /** Absolute path of the configuration to write; its folder becomes the work_dir. */
  config: string;
  force: boolean;
  commit: boolean;
  /** Where `--detect` looks. */
  path: string | undefined;
}

/** What init did; paths are absolute. */
export interface InitReport {
  /** Null when the configuration that was there is kept. */
  preset: PresetName | null;
  /** What `--detect` found, null when nobody looked. */
  detected: FoundAgent[] | null;
  config_path: string;
  log_dir: string;
  written: string[];
  /** Files that were there and were left as they are. */
  kept: string[];
  /** Where the configuration that was there before lies now. */
  backup: string | null;
  committed: boolean;
  /** Why not, when it was tried and failed. */
  commit_problem: string | null;
  /** `stop_grace_period` of the compose file, where secrets go, how the agent's image is built, why the program could not be packed. */
  deploy: Pick<DeployReport, 'grace_s' | 'env_file' | 'build' | 'pack_problem'>;
}

/**
 * Writes a configuration from a preset, a first prompt and the ignore line, and commits these. Everything that can be refused is refused
 * before anything is written; nothing that was there is lost.
 */
export async function initProject(options: InitOptions): Promise<InitReport> {
  const { config, force } = options;
  const folder = dirname(config);
  const unprintable = pathProblem(config);
  if (unprintable !== null) throw unwritable(JSON.stringify(config), `the path ${unprintable}`);
  const keeps = keepsConfig(options);
  const { preset, detected } = keeps ? KEPT : choosePreset(options, () => detectAgents(options.path));
  await requireWorkTree(folder);

  const prompt = join(folder, 'prompts', 'main.md');
  const ignore = join(folder, '.gitignore');
  const before = { config: plainFile(config), prompt: plainFile(prompt), ignore: plainFile(ignore) };
  if (before.config && !force && !keeps) {
    throw new RunnerError({
      code: 'AR-INI-002',
      message: `${config} exists already`,
      remedy: '--force writes a new one and keeps this one as a backup; --config writes another file',
    });
  }
  const text = preset === null ? null : renderPreset(preset, folder, options.container);
  const loaded = text === null ? loadConfig(config) : parseConfig(text, config);
  refusePodman(loaded.config, options);

  const ignoreIsOurs = !(before.ignore && (await hasChanges(folder, '.gitignore')));
  const written: string[] = [];
  if (!before.prompt && text !== null) {
    writeNew(prompt, readFileSync(join(packageRoot(), 'src', 'config', 'presets', 'prompt.md'), 'utf8'));
    written.push(prompt);
  }
  const ignores = missingIgnores(folder, [
    ...ignoreLines(before.config && !keeps, basename(config)),
    ...deployIgnores(loaded.config, options),
  ]);
  if (ignores.length > 0) {
    appendIgnores(folder, ignores);
    written.push(ignore);
  }
  const backup = before.config && text !== null ? replaceKeeping(config, text) : null;
  if (backup === null && text !== null) writeNew(config, text);
  if (text !== null) written.push(config);
  const deploy = await writeDeploy(folder, loaded.config, options);

  const shared = deploy.written.filter((path) => !deploy.local.includes(path));
  const inDeploy = await notIgnored(
    folder,
    shared.map((path) => relative(folder, path)),
  );
  const ours = written.filter((path) => path !== ignore || ignoreIsOurs).map((path) => relative(folder, path));
  const commit = options.commit ? await commitFiles(folder, [...ours, ...inDeploy]) : { committed: false as const, problem: null };
  return {
    preset,
    detected,
    config_path: config,
    log_dir: loaded.config.runtime.log_dir,
    written: [...written, ...deploy.written],
    kept: [...(keeps ? [config] : []), ...(before.prompt && text !== null ? [prompt] : []), ...deploy.kept],
    backup,
    committed: commit.committed,
    commit_problem: commit.committed ? null : commit.problem,
    deploy: { grace_s: deploy.grace_s, env_file: deploy.env_file, build: deploy.build, pack_problem: deploy.pack_problem },
  };
}

const KEPT = { preset: null, detected: null } as const;

/** `init --compose` alone in a project that is set up: its configuration stays, the files around it follow it. */
function keepsConfig({ config, compose, container, preset, detect, force }: InitOptions): boolean {
  return compose && !force && container === null && preset === null && !detect && lookAt(config) !== null;
}

/** Whether a plain file is at `path`; anything else there is not ours to touch. */
function plainFile(path: string): boolean {
  const stat = lookAt(path);
  if (stat === null) return false;
  // A link is taken for the file that it leads to when it is read, and moved or left alone as itself.
  if (stat.isFile() || stat.isSymbolicLink()) return true;
  throw unwritable(path, 'something that is no plain file lies there');
}

/** The preset's text with the project's name filled in, escaped as TOML (and JSON) texts are. */
function renderPreset(preset: PresetName, folder: string, container: ContainerCli | null): string {
  const project = JSON.stringify(projectName(folder)).slice(1, -1);
  const text = presetText(preset).replaceAll('{project}', () => project);
  if (container === null) return text;
  const { agent } = parseConfig(text, join(folder, 'agent-runner.toml')).config;
  const name = agentName(agent);
  const prefix = execPrefixToml({
    cli: container,
    image: imageName(name),
    ...ownerOf(folder),
    keepId: keepsId(container),
    credentials: agentImage(name).credentials,
    env: Object.keys(agent.env),
    stopTimeoutS: Math.min(agent.sigterm_grace_s, 12),
  });
  // In the image the program lies where deploy/Dockerfile puts it.
  return withExecPrefix(text, prefix).replaceAll('"{package}/', '"/opt/agent-runner/');
}
