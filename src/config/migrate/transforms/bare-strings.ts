import * as z from 'zod';
import type { KeyPath } from '../../problems.ts';
import { configTable } from '../../schema.ts';
import { core, everyKeyOf } from '../../schema-walk.ts';
import { tableOf, valueAt } from '../../tables.ts';
import { wrapInList } from '../operations.ts';
import type { Finding, Transform } from '../transform.ts';

/** Every key that takes a list. */
const LISTS: readonly (readonly string[])[] = everyKeyOf(configTable)
  .filter(({ schema }) => core(schema) instanceof z.ZodArray || core(schema) instanceof z.ZodTuple)
  .map(({ path }) => path);

/** One text may be several words of a command, or several names: only where it cannot be is it put into brackets. */
const ONE_WORD = /^[^\s,;]+$/;
const MAY_BE_SEVERAL = new Set(['command', 'prompt_arg_template', 'exec_prefix', 'list', 'files', 'disable', 'on', 'auto_stop_on']);

/** Python took such a text apart into its letters. */
export const bareStrings: Transform = {
  id: 'bare-string',
  since: '0.2.13',
  kind: 'fix',
  doc: 'A text where a list belongs (`command = "claude"`) is put into brackets when it can only be one item. A command with blanks is left to you: where its arguments end is not guessed.',
  find: ({ document }) =>
    LISTS.flatMap((path) => concrete(path, Object.keys(tableOf(document.phases)))).flatMap((path): Finding[] => {
      const value = valueAt(document, path);
      if (typeof value !== 'string') return [];
      const name = String(path.at(-1));
      const remedy = `Write it as a list: ${name} = ["...", "..."]`;
      const sure = ONE_WORD.test(value) || (!MAY_BE_SEVERAL.has(name) && value !== '');
      if (!sure) return [{ key: path, message: 'is a text where a list belongs, and may be several items', remedy }];
      return [{ key: path, message: 'put into brackets', remedy, rewrite: wrapInList(path) }];
    }),
};

function concrete(path: readonly string[], phases: readonly string[]): KeyPath[] {
  const at = path.indexOf('<name>');
  return at === -1 ? [path] : phases.map((name) => path.with(at, name));
}
