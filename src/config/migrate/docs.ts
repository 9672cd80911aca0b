import { BYTE_ORDER_MARK_ITEM } from './migrate.ts';
import { transforms } from './registry.ts';

/** Rows for docs/migration.md: name, since which version, whether it fixes or tells, what it is about. */
export function migrationRows(): string[][] {
  const mark = [
    '`byte-order-mark`',
    BYTE_ORDER_MARK_ITEM.since,
    'fixes',
    'A byte order mark at the start of the file is removed: TOML is plain UTF-8 here.',
  ];
  const rows = transforms(() => []).map(({ id, since, kind, doc }) => [`\`${id}\``, since, kind === 'fix' ? 'fixes' : 'tells', doc]);
  return [mark, ...rows];
}
