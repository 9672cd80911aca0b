import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

/** sha256 over the sorted, unique files that the globs match: names and contents. Null without globs. */
export async function pathsHash(workDir: string, globs: readonly string[]): Promise<string | null> {
  if (globs.length === 0) return null;
  const { glob } = await import('tinyglobby');
  const files = [...new Set(await glob([...globs], { cwd: workDir, dot: true, onlyFiles: true, followSymbolicLinks: false }))].sort();
  const hash = createHash('sha256');
  for (const file of files) {
    hash.update(`${file}\0`);
    try {
      await pipeline(createReadStream(join(workDir, file)), async (source) => {
        for await (const chunk of source) hash.update(chunk as Buffer);
      });
    } catch {
      // Gone or unreadable since the listing: its name alone counts.
    }
    hash.update('\0');
  }
  return hash.digest('hex');
}
