import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import type { PresetName } from '../preset.ts';

export interface FoundAgent {
  preset: PresetName;
  path: string;
}

/** The agents that `--detect` looks for; the first that is installed is taken. */
export const DETECTION_ORDER = [
  'claude',
  'codex',
  'gemini',
  'opencode',
  'pi',
  'qwen',
  'aider',
  'codewhale',
  'kimi',
] as const satisfies readonly PresetName[];

/** The agent CLIs with a preset that are on PATH, in the order in which they are preferred. */
export function detectAgents(path: string | undefined): FoundAgent[] {
  return DETECTION_ORDER.flatMap((preset): FoundAgent[] => {
    const found = onPath(preset, path ?? '');
    return found === null ? [] : [{ preset, path: found }];
  });
}

function onPath(program: string, path: string): string | null {
  // An empty or relative entry means the current folder: what lies there is the project's, not an installed program.
  for (const folder of path.split(delimiter).filter(isAbsolute)) {
    const candidate = join(folder, program);
    try {
      accessSync(candidate, constants.X_OK);
      if (statSync(candidate).isFile()) return candidate;
    } catch {
      // Not here.
    }
  }
  return null;
}
