import { type ConfigValue, isOwn, type Override } from './config-values.ts';

/**
 * Keys that cannot make git run anything and that ordinary work changes all the time: a new branch, a remote, a user name. Everything
 * else counts as executing, so a key that a newer git brings is on the safe side.
 */
const HARMLESS = [
  /^(branch|user|author|committer|color|column|advice|init|pull|push|fetch|rebase|rerere|status|format|i18n|gui|apply|blame|stash|pack|extensions|maintenance)\./,
  /^remote\..*\.(url|pushurl|fetch|push|tagopt|prune|prunetags|mirror|skipdefaultupdate|skipfetchall|followremotehead|gh-resolved)$/,
  /^submodule\..*\.(url|active|branch|ignore|shallow|fetchrecursesubmodules)$/,
  /^core\.(repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol|safecrlf|quotepath|abbrev|whitespace|untrackedcache|sparsecheckout|sparsecheckoutcone|splitindex|longpaths)$/,
  /^lfs\.(repositoryformatversion|.*\.(access|locksverify))$/,
];

export function isExecuting(key: string): boolean {
  return !HARMLESS.some((pattern) => pattern.test(key));
}

const FILTER = /^filter\.(.*)\.(clean|smudge|process|required)$/;

/** Other keys of programs that our calls could meet, and the value that keeps git from running any. */
const NEUTRAL: readonly (readonly [RegExp, string])[] = [
  // A diff program that does not exist would be an error as well, but a less plain one.
  [/^diff\.external$|^diff\..*\.(command|textconv)$|^merge\..*\.driver$/, 'false'],
  // A global LFS filter stays on, so what the repository could make git-lfs run must be off.
  [/^lfs\.(customtransfer\..*\.path|extension\..*\.(clean|smudge)|(.*\.)?standalonetransferagent)$/, ''],
];

export interface Neutral {
  overrides: Override[];
  /** Filters that do nothing with these overrides: what git saves of their files is not what the repository means to keep. */
  filters: Set<string>;
}

/**
 * Overrides that take back every program which the repository's own files name. Where the machine's or the user's configuration names
 * one under the same key, theirs comes back: without a global LFS filter every LFS file would look dirty.
 */
export function neutralise(values: readonly ConfigValue[]): Neutral {
  const own = new Map(values.filter(isOwn).map(({ key, value }) => [key, value]));
  const global = new Map(values.filter((value) => !isOwn(value)).map(({ key, value }) => [key, value]));
  const overrides: Override[] = [...own.keys()].flatMap((key): Override[] => {
    const neutral = NEUTRAL.find(([pattern]) => pattern.test(key))?.[1];
    return neutral === undefined ? [] : [[key, global.get(key) ?? neutral]];
  });
  const filters = new Set<string>();
  for (const name of new Set([...own.keys()].flatMap((key) => FILTER.exec(key)?.[1] ?? []))) {
    const key = (part: string) => `filter.${name}.${part}`;
    // Nothing can unset a value, and an empty `process` hides `clean` and `smudge`: a repository that adds a process to a filter of the
    // user's that has none takes the whole filter with it.
    const restorable = global.has(key('process')) || (!own.has(key('process')) && (global.has(key('clean')) || global.has(key('smudge'))));
    const parts = restorable ? ['clean', 'smudge', ...(global.has(key('process')) ? ['process'] : [])] : ['clean', 'smudge', 'process'];
    for (const part of parts) overrides.push([key(part), restorable ? (global.get(key(part)) ?? '') : '']);
    overrides.push([key('required'), restorable ? (global.get(key('required')) ?? 'false') : 'false']);
    if (!restorable) filters.add(name);
  }
  return { overrides, filters };
}
