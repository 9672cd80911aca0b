import { basename } from 'node:path';

/** Programs that only run what their first argument names. */
const INTERPRETERS = /^(?:(?:ba|da|z|k)?sh|env|python[\d.]*|node|deno|bun|ruby|perl|php)$/;

/**
 * What a hook is called in events and in `plugins.disable`: the last part of its program, or of the script when the program is an
 * interpreter with the script as its first argument. Two of one name are disabled together. Takes unchecked input too.
 */
export function hookName(argv: readonly unknown[]): string {
  const [program, first] = argv;
  const own = typeof program === 'string' ? basename(program) : '';
  return INTERPRETERS.test(own) && typeof first === 'string' && /^[^\s-]\S*$/.test(first) ? basename(first) : own;
}

export function isInterpreter(program: string): boolean {
  return INTERPRETERS.test(basename(program));
}
