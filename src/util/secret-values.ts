import { isFolder, kindOfName } from './redact-assignments.ts';

/** Shorter ones occur in ordinary text by chance, and redacting `1` or `dev` everywhere would destroy every log. */
const SHORTEST_SECRET = 6;
const SHORTEST_UNNAMED = 20;
/** Where things lie: whatever else has the same value, every sentence and command that names the place must stay readable. */
const PLACES = 'PWD OLDPWD HOME TMPDIR TMP TEMP PATH SHELL INIT_CWD XDG_CONFIG_HOME XDG_DATA_HOME XDG_RUNTIME_DIR'.split(' ');

/**
 * The values of an environment that must not be seen anywhere: those whose name promises a secret, and those that look like a token
 * whatever their name is. A value of several lines (a private key) also counts line by line, as a log shows it.
 */
export function secretValues(env: Readonly<Record<string, string | undefined>>): string[] {
  const places = new Set(PLACES.map((name) => env[name]).filter((value) => value?.startsWith('/')));
  return Object.entries(env).flatMap(([name, value = '']) => {
    if (places.has(value) || isFolder(name, value)) return [];
    const named = kindOfName(name) !== null && value.length >= SHORTEST_SECRET;
    if (!named && !looksLikeToken(value)) return [];
    const lines = value.split('\n').filter((line) => line.length >= SHORTEST_UNNAMED);
    return lines.length > 1 ? [value, ...lines] : [value];
  });
}

/** Letters and digits mixed, no space, no path, no host name. */
function looksLikeToken(value: string): boolean {
  return value.length >= SHORTEST_UNNAMED && /^[\w+=~-]+$/.test(value) && /\d/.test(value) && /[A-Za-z]/.test(value);
}
