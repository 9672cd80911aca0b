import { resolve } from 'node:path';
import { checkCapabilities } from './capabilities.ts';
import { digestOf } from './digest.ts';
import { parseDocument } from './document.ts';
import { type Draft, draftOf } from './draft.ts';
import { hookName } from './hook-name.ts';
import { projectName } from './paths.ts';
import { positionFinder } from './positions.ts';
import { applyPresets, PRESET_NAMES } from './preset.ts';
import { ConfigProblems, dotted, type Finding, type Problem, type Report } from './problems.ts';
import { readConfigFile } from './read-file.ts';
import { readTable } from './read-table.ts';
import { REMARKS } from './remarks.ts';
import { resolveConfig } from './resolve.ts';
import { RULES } from './rules.ts';
import { phaseWindowOverlap } from './schedule-rules.ts';
import { type Config, type ConfigFile, configTable } from './schema.ts';
import { everyKeyOf } from './schema-walk.ts';
import { nearest } from './suggest.ts';

export interface LoadedConfig {
  /** Absolute. */
  path: string;
  text: string;
  /** `sha256:<hex>` of the bytes. */
  digest: string;
  config: Config;
  /** What is remarkable and stops nothing, in the order of the file. */
  warnings: Problem[];
  /** Last part of work_dir: names the project in paths and units. */
  project: string;
}

/** Reads and checks a configuration file. Throws ConfigProblems (exit 78) with every problem at once, and nothing else. */
export function loadConfig(path: string): LoadedConfig {
  const file = resolve(path);
  return parseConfig(readConfigFile(file), file);
}

/** The same from a text that was read before; `path` is where it lies: paths in it are relative to that folder. */
export function parseConfig(text: string, path: string): LoadedConfig {
  const file = resolve(path);
  const written = parseDocument(text, file);
  const found: Finding[] = [];
  const remarks: Finding[] = [];
  const report: Report = (finding) => found.push(finding);
  const warn: Report = (finding) => remarks.push(finding);

  const { document, excused } = applyPresets(written, report);
  const refused = [...checkCapabilities(document, { refuse: report, warn }), ...excused];
  const read = readTable(configTable, document, [], { report, refused, everyKey: EVERY_KEY, mode: 'complete' });
  const draft = draftOf(read);
  for (const rule of RULES) rule(draft, report);
  pluginSettings(draft, warn);
  phaseWindowOverlap(draft, warn);
  for (const remark of REMARKS) remark(draft, warn);

  const place = placing(text, file);
  const problems = place(found);
  if (isNotEmpty(problems)) throw new ConfigProblems(problems);
  const config = resolveConfig(read as unknown as ConfigFile, draft.overrides, file);
  return { path: file, text, digest: digestOf(text), config, warnings: place(remarks), project: projectName(config.runtime.work_dir) };
}

/** Each shipped adapter has a preset of its name; `custom` is what is left when one is disabled. */
const DISABLED_ADAPTERS: readonly string[] = PRESET_NAMES;

const EVERY_KEY = everyKeyOf(configTable).map(({ path }) => path.join('.'));

function pluginSettings({ plugins: { disable, ...settings }, hooks }: Draft, warn: Report): void {
  const commands = [...(hooks?.serve_start ?? []), ...(hooks?.pre_round ?? []), ...(hooks?.post_round ?? [])];
  const known = [...DISABLED_ADAPTERS, ...commands.map(hookName)];
  for (const [index, name] of (Array.isArray(disable) ? disable : []).entries()) {
    if (known.includes(name)) continue;
    const near = nearest(name, known);
    warn({
      code: 'AR-CFG-024',
      path: ['plugins', 'disable', index],
      at: 'value',
      message: `has no effect: neither an adapter nor a hook is called ${JSON.stringify(name)}`,
      remedy: near === null ? `Names here: ${known.join(', ')}.` : `Did you mean ${JSON.stringify(near)}?`,
    });
  }
  for (const name of Object.keys(settings)) {
    warn({
      code: 'AR-CFG-023',
      path: ['plugins', name],
      at: 'key',
      message: 'has no effect: plugins of the Python predecessor do not load',
      remedy: 'Remove it when you like.',
    });
  }
}

/** Gives findings their lines, in the order of the file. */
function placing(text: string, file: string): (findings: readonly Finding[]) => Problem[] {
  const find = positionFinder(text);
  return (findings) =>
    findings
      .map(({ code, path, at, message, remedy }): Problem => ({ code, file, ...find(path, at), key: dotted(path), message, remedy }))
      .sort((a, b) => a.line - b.line || a.column - b.column);
}

function isNotEmpty(problems: Problem[]): problems is [Problem, ...Problem[]] {
  return problems.length > 0;
}
