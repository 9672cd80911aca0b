import { expect, it } from 'vitest';
import { configurationTable } from '../../../src/config/docs.ts';
import { configTable } from '../../../src/config/schema.ts';
import { everyKeyOf } from '../../../src/config/schema-walk.ts';

it('every key is in the table, with what it takes, its default and a line of documentation', () => {
  const table = configurationTable();
  for (const { path } of everyKeyOf(configTable)) expect(table).toContain(`\`${path.at(-1)}\``);
  for (const line of table.split('\n').filter((row) => row.startsWith('| `'))) {
    const cells = line.split(/(?<!\\)\|/).map((cell) => cell.trim());
    expect(cells.slice(1, 5).filter((cell) => cell === '' || cell.includes('something else'))).toEqual([]);
  }
});

it('says what a key defaults to in words where the default is not in the schema', () => {
  const table = configurationTable();
  expect(table).toContain('| `command` | a list of texts, the program first | **required** |');
  expect(table).toContain('| `round_timeout_s` | a whole number, 1 or more | `1800` |');
  expect(table).toContain('| `max_rounds` | a whole number, 1 or more | none |');
  expect(table).toContain(
    '| `pid_namespace` | true or false | `false` | Run each agent in a PID namespace of its own (Linux, `unshare`): its end is the end of everything in it. Not with a container. |',
  );
});
