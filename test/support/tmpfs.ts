import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { runCommand } from '../../src/process/command.ts';
import { testFolder } from './folder.ts';

/** A folder on a tiny file system of its own, to be filled up. First `requirePart(context, 'tmpfs')`. */
export async function testTmpfs(size: string): Promise<string> {
  const folder = join(testFolder(), 'tmpfs');
  await mountTmpfs(folder, size);
  return folder;
}

/** The same at a place of the test's choice, which is made if need be. */
export async function mountTmpfs(folder: string, size: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const mounted = await runCommand(['mount', '-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder]);
  if (mounted.code !== 0) throw new Error(`mount: ${mounted.stderr}`);
  // Registered later than the folder's removal, so it runs earlier.
  onTestFinished(async () => {
    await runCommand(['umount', '-l', folder]);
  });
}
