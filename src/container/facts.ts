import { join, resolve } from 'node:path';
import { readBounded } from './bounded-read.ts';
import { detectContainer } from './detect.ts';
import { imageExists } from './engine.ts';
import { runOptions } from './options.ts';
import type { GitFile } from './problem.ts';
import { realPath } from './real-path.ts';

const LARGEST_POINTER_BYTES = 8192;

/** Reads `work_dir/.git` without running git: it is the agent's to write, so bounded and as data. null when it is a folder or missing. */
export function readGitFile(workDir: string): GitFile | null {
  const pointer = readBounded(join(workDir, '.git'), LARGEST_POINTER_BYTES);
  const written = pointer.kind === 'ok' ? /^gitdir: (.+?)\s*$/m.exec(pointer.text)?.[1] : undefined;
  if (written === undefined) return null;
  const gitDir = realPath(resolve(workDir, written));
  const common = readBounded(join(gitDir, 'commondir'), LARGEST_POINTER_BYTES);
  return { written, gitDir, commonDir: common.kind === 'ok' ? realPath(resolve(gitDir, common.text.trim())) : gitDir };
}

/** Under `--pull never`: does the engine have the image? null: not asked, or the engine did not answer. */
export async function imagePresent(argv: readonly string[], env: Record<string, string>, cwd: string): Promise<boolean | null> {
  const found = detectContainer(argv);
  const image = imageToLookFor(argv);
  if (found?.kind !== 'run' || image === null) return null;
  return imageExists({ runtime: found.runtime, control: found.control, env, cwd }, image);
}

/** The image whose absence would be an error: only under `--pull never`. */
function imageToLookFor(argv: readonly string[]): string | null {
  const found = detectContainer(argv);
  if (found?.kind !== 'run') return null;
  const { pull, imageIndex } = runOptions(argv, found.runIndex);
  return pull === 'never' && imageIndex !== null ? (argv[imageIndex] ?? null) : null;
}
