import { readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { RunnerError } from '../../util/errors.ts';
import { packageRoot } from '../../util/package.ts';
import { parseConfig } from '../load.ts';
import { pathProblem, projectName } from '../paths.ts';
import { type PresetName, presetText } from '../preset.ts';
import { choosePreset, type PresetWish } from './choose-preset.ts';
import { detectAgents, type FoundAgent } from './detect.ts';
import { commitFiles, hasChanges, requireWorkTree } from './git.ts';
import { appendIgnores, ignoreLines, lookAt, missingIgnores, replaceKeeping, unwritable, writeNew } from './write.ts';

export interface InitOptions extends PresetWish {
  /** Absolute path of the configuration to write; its folder becomes the work_dir. */
  config: string;
  force: boolean;
  commit: boolean;
  /** Where `--detect` looks. */
  path: string | undefined;
}

/** What init did; paths are absolute. */
export interface InitReport {
  preset: PresetName;
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
  const { preset, detected } = choosePreset(options, () => detectAgents(options.path));
  await requireWorkTree(folder);

  const prompt = join(folder, 'prompts', 'main.md');
  const ignore = join(folder, '.gitignore');
  const before = { config: plainFile(config), prompt: plainFile(prompt), ignore: plainFile(ignore) };
  if (before.config && !force) {
    throw new RunnerError({
      code: 'AR-INI-002',
      message: `${config} exists already`,
      remedy: '--force writes a new one and keeps this one as a backup; --config writes another file',
    });
  }
  const text = renderPreset(preset, folder);
  const { runtime } = parseConfig(text, config).config;

  const ignoreIsOurs = !(before.ignore && (await hasChanges(folder, '.gitignore')));
  const written: string[] = [];
  if (!before.prompt) {
    writeNew(prompt, readFileSync(join(packageRoot(), 'src', 'config', 'presets', 'prompt.md'), 'utf8'));
    written.push(prompt);
  }
  const ignores = missingIgnores(folder, ignoreLines(before.config, basename(config)));
  if (ignores.length > 0) {
    appendIgnores(folder, ignores);
    written.push(ignore);
  }
  const backup = before.config ? replaceKeeping(config, text) : null;
  if (backup === null) writeNew(config, text);
  written.push(config);

  const ours = written.filter((path) => path !== ignore || ignoreIsOurs).map((path) => relative(folder, path));
  const commit = options.commit ? await commitFiles(folder, ours) : { committed: false as const, problem: null };
  return {
    preset,
    detected,
    config_path: config,
    log_dir: runtime.log_dir,
    written,
    kept: before.prompt ? [prompt] : [],
    backup,
    committed: commit.committed,
    commit_problem: commit.committed ? null : commit.problem,
  };
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
function renderPreset(preset: PresetName, folder: string): string {
  const project = JSON.stringify(projectName(folder)).slice(1, -1);
  return presetText(preset).replaceAll('{project}', () => project);
}
