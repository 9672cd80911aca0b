import { parseConfig } from '../../../src/config/load.ts';
import { ConfigProblems, type Problem } from '../../../src/config/problems.ts';
import type { Config } from '../../../src/config/schema.ts';

/** A small good file, by lines, so that a test can replace or add one. */
const GOOD = {
  agent: ['command = ["claude"]', 'prompt_arg_template = ["-p"]', 'prompt_delivery = "stdin"'],
  runtime: ['work_dir = "."', 'log_dir = "/var/log/agents"'],
  prompt: ['file = "prompts/main.md"'],
};

/** Lines added to tables of the good file (`agent`, `monitor`, `phases.build` ...); a line for a key that is there replaces it. */
export function fileWith(changes: Record<string, readonly string[]> = {}): string {
  const tables = new Map<string, string[]>(Object.entries(GOOD));
  for (const [table, lines] of Object.entries(changes)) {
    const own = (tables.get(table) ?? []).filter((line) => !lines.some((added) => keyOf(added) === keyOf(line)));
    tables.set(table, [...own, ...lines]);
  }
  const top = tables.get('') ?? [];
  tables.delete('');
  return [...top, ...[...tables].flatMap(([name, lines]) => [`[${name}]`, ...lines])].join('\n');
}

function keyOf(line: string): string {
  return line.split('=', 1)[0]?.trim() ?? '';
}

export const AT = '/srv/project/agent-runner.toml';

export function configOf(text: string): Config {
  return parseConfig(text, AT).config;
}

/** The problems of a text; none when it is fine. Any other error is the test's failure. */
export function problemsOf(text: string): readonly Problem[] {
  try {
    parseConfig(text, AT);
    return [];
  } catch (error) {
    if (error instanceof ConfigProblems) return error.problems;
    throw error;
  }
}
