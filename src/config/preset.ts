import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'smol-toml';
import { packageRoot } from '../util/package.ts';
import type { Document } from './document.ts';
import type { KeyPath, Report } from './problems.ts';
import { nearest } from './suggest.ts';
import { isTable, tableOf } from './tables.ts';

/** The shipped presets, one file each in presets/: a whole agent-runner.toml, from which `init` writes and `agent.preset` takes parts. */
export const PRESET_NAMES = ['claude', 'codex', 'gemini', 'opencode', 'pi', 'qwen', 'aider', 'codewhale', 'kimi', 'demo'] as const;

export type PresetName = (typeof PRESET_NAMES)[number];

export function isPresetName(name: string): name is PresetName {
  return (PRESET_NAMES as readonly string[]).includes(name);
}

/** The commented text of a shipped preset. */
export function presetText(name: PresetName): string {
  return readFileSync(join(packageRoot(), 'src', 'config', 'presets', `${name}.toml`), 'utf8');
}

/**
 * The document with what its presets say put under what it says itself: the agent's keys, in [agent], its fallbacks and each phase's agent, and the
 * ignore patterns of all presets in use. `env` is merged by variable. An unknown name is reported, and its table is returned in
 * `excused`, as what it lacks is not the user's second mistake.
 */
export function applyPresets(document: Document, report: Report): { document: Document; excused: KeyPath[] } {
  const excused: KeyPath[] = [];
  const patterns: unknown[] = [];
  const fill = (given: unknown, path: KeyPath): unknown => {
    const agent =
      isTable(given) && Array.isArray(given.fallback) ? { ...given, fallback: fillEach(given.fallback, [...path, 'fallback']) } : given;
    if (!isTable(agent) || typeof agent.preset !== 'string') return agent;
    if (!isPresetName(agent.preset)) {
      excused.push([...path, 'command']);
      report(unknownPreset(agent.preset, path));
      return agent;
    }
    const preset = parse(presetText(agent.preset));
    const own = tableOf(preset.agent);
    for (const pattern of asList(tableOf(preset.runtime).grace_kill_ignore_patterns))
      if (!patterns.includes(pattern)) patterns.push(pattern);
    const env = agent.env === undefined || isTable(agent.env) ? { ...tableOf(own.env), ...tableOf(agent.env) } : agent.env;
    return { ...own, ...agent, env };
  };

  const fillEach = (agents: unknown[], path: KeyPath): unknown[] => agents.map((agent, index) => fill(agent, [...path, index]));

  const filled: Document = { ...document };
  if ('agent' in document) filled.agent = fill(document.agent, ['agent']);
  if (isTable(document.phases)) {
    filled.phases = Object.fromEntries(
      Object.entries(document.phases).map(([name, phase]) => {
        const hasAgent = isTable(phase) && 'agent' in phase;
        return [name, hasAgent ? { ...phase, agent: fill(phase.agent, ['phases', name, 'agent']) } : phase];
      }),
    );
  }
  if (patterns.length > 0 && (document.runtime === undefined || isTable(document.runtime))) {
    filled.runtime = { grace_kill_ignore_patterns: patterns, ...tableOf(document.runtime) };
  }
  return { document: filled, excused };
}

function unknownPreset(name: string, path: KeyPath): Parameters<Report>[0] {
  const near = nearest(name, PRESET_NAMES);
  return {
    code: 'AR-CFG-022',
    path: [...path, 'preset'],
    at: 'value',
    message: `found text ${JSON.stringify(name.slice(0, 40))}; accepted: ${PRESET_NAMES.map((known) => `"${known}"`).join(', ')}`,
    remedy: near === null ? 'Write command and the keys beside it yourself for any other CLI.' : `Did you mean "${near}"?`,
  };
}

function asList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
