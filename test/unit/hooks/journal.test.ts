import fc from 'fast-check';
import { expect, it } from 'vitest';
import { asHooksInFlight } from '../../../src/hooks/journal.ts';

const TOKEN = '01234567-89ab-cdef-0123-456789abcdef';

it('keeps what has the shape of a record and of a mark', () => {
  const record = { supervisor: { pid: 7, create_time: 1 }, pid_ns: '4', running: [{ token: TOKEN, kind: 'notify', name: 'tell' }] };
  expect(asHooksInFlight(record)).toEqual(record);
  const odd = { ...record, running: [null, 7, { token: 'short' }, { token: `${TOKEN}\n` }, { token: TOKEN, kind: 1, name: null }] };
  expect(asHooksInFlight(odd)?.running).toEqual([{ token: TOKEN, kind: '1', name: 'null' }]);
});

it('any JSON: a record or null, never an exception', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (value, running) => {
      asHooksInFlight(value);
      const record = asHooksInFlight({ supervisor: { pid: 7 }, pid_ns: value, running });
      for (const { token } of record?.running ?? []) expect(token).toMatch(/^[0-9a-f-]{36}$/);
    }),
  );
});
