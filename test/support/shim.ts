import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onPath } from './parts.ts';
import type { Project } from './project.ts';

/**
 * A program of this name in front of PATH that stops for three seconds where `when` (a shell condition over "$*") holds, and leaves a
 * mark when it does, so that a test can act at a moment that is otherwise too short. Then, and everywhere else, the real one runs.
 */
export function slowShim(at: Project, name: string, when: string): { path: string; reached(): boolean } {
  if (!onPath(name)) throw new Error(`no real ${name} on PATH`);
  const folder = join(at.folder, 'shims');
  const mark = join(at.folder, `${name}-reached`);
  mkdirSync(folder, { recursive: true });
  const script = `#!/bin/sh\nPATH="\${PATH#*:}"\nif ${when} && [ ! -e '${mark}' ]; then : > '${mark}'; sleep 3; fi\nexec ${name} "$@"\n`;
  writeFileSync(join(folder, name), script);
  chmodSync(join(folder, name), 0o755);
  return { path: `${folder}:${at.env.PATH}`, reached: () => existsSync(mark) };
}
