import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { callGit } from './call.ts';
import { type ConfigValue, isOwn, type LocalConfig, parseConfigList } from './config-values.ts';
import { isExecuting, neutralise } from './executing-keys.ts';
import type { Location } from './locate.ts';
import { shown } from './names.ts';
import type { Repo } from './repo.ts';

const MAX_BYTES = 16 * 1024 * 1024;

/** Costs one git call after a change of the files, otherwise two stats. */
export async function localConfig(repo: Repo, location: Location): Promise<LocalConfig> {
  const stamp = stampOf(location);
  const known = repo.memory.localConfig;
  if (known !== null && known.stamp === stamp) return known;
  const args = ['config', '--list', '--show-scope', '--show-origin', '-z'];
  const { stdout } = await callGit(repo, location, args, [], { read: true, maxBytes: MAX_BYTES });
  const values = parseConfigList(stdout);
  const own = values.filter(isOwn);
  repo.memory.localConfig = {
    stamp: own.some(({ key }) => /^include(if\..*)?\.path$/.test(key)) ? null : stamp,
    ...neutralise(values),
    digests: digestsOf(own, location),
    hooksPath: values.findLast(({ key, scope }) => key === 'core.hookspath' && scope !== 'command')?.value ?? null,
  };
  return repo.memory.localConfig;
}

/** Inode and change time cannot be set back by whoever edits the file, unlike its mtime. */
function stampOf({ gitDir, commonDir }: Location): string {
  return [join(commonDir, 'config'), join(gitDir, 'config.worktree')].map(fileStamp).join(' ');
}

export function fileStamp(path: string): string {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stat ? `${stat.ino}:${stat.ctimeNs}:${stat.size}` : '-';
}

function digestsOf(own: readonly ConfigValue[], { top }: Location): Map<string, string> {
  const lines = new Map<string, string[]>();
  for (const { origin, key, value } of own) {
    if (!isExecuting(key)) continue;
    const name = relative(top, resolve(top, shown(origin.replace(/^file:/, ''))));
    lines.set(name, [...(lines.get(name) ?? []), `${key}=${value}`]);
  }
  return new Map([...lines].map(([name, pairs]) => [name, createHash('sha256').update(pairs.join('\0')).digest('hex')]));
}
