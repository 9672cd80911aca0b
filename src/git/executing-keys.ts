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
const FILTER_PARTS = ['clean', 'smudge', 'process', 'required'] as const;

/** Keys of programs that our calls could meet, and the value that keeps git from running any. */
const NEUTRAL: readonly (readonly [RegExp, string])[] = [
  [/^filter\..*\.required$/, 'false'],
  [FILTER, ''],
  // A diff program that does not exist would be an error as well, but a less plain one.
  [/^diff\.external$|^diff\..*\.(command|textconv)$|^merge\..*\.driver$/, 'false'],
  // A global LFS filter stays on, so what the repository could make git-lfs run must be off.
  [/^lfs\.(customtransfer\..*\.path|extension\..*\.(clean|smudge)|(.*\.)?standalonetransferagent)$/, ''],
];

/**
 * Overrides that take back every program which the repository's own files name. Where the machine's or the user's configuration names
 * one under the same key, theirs comes back: without a global LFS filter every LFS file would look dirty.
 */
export function neutralOverrides(values: readonly ConfigValue[]): Override[] {
  const global = new Map(values.filter((value) => !isOwn(value)).map(({ key, value }) => [key, value]));
  const own = new Set(values.filter(isOwn).map(({ key }) => key));
  // One part of a filter decides over the others (an empty `process` hides `clean`), so a filter is taken back whole.
  for (const name of filterNames(own)) for (const part of FILTER_PARTS) own.add(`filter.${name}.${part}`);
  return [...own].sort().flatMap((key): Override[] => {
    const neutral = NEUTRAL.find(([pattern]) => pattern.test(key))?.[1];
    return neutral === undefined ? [] : [[key, global.get(key) ?? neutral]];
  });
}

/** Filters that nobody but the repository defines: with the overrides above they do nothing. */
export function neutralisedFilters(values: readonly ConfigValue[]): Set<string> {
  const global = filterNames(values.filter((value) => !isOwn(value)).map(({ key }) => key));
  return new Set([...filterNames(values.filter(isOwn).map(({ key }) => key))].filter((name) => !global.has(name)));
}

function filterNames(keys: Iterable<string>): Set<string> {
  return new Set([...keys].flatMap((key) => FILTER.exec(key)?.[1] ?? []));
}
