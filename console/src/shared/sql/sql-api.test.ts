import { expect, test } from 'vitest';
import { readResult } from './sql-api.ts';

const statement = { command: 'SELECT', row_count: 0, columns: [], rows: [], more: false };

test('the result of SQL has the names of the metadata objects that cascade dropped', () => {
  const dropped = [
    { type: 'select_permission', name: 'select_permission user in table author in source default', definition: {} },
  ];
  expect(readResult({ result_type: 'CommandOk', result: null, results: [statement], dropped })).toEqual({
    statements: [statement],
    dropped: ['select_permission user in table author in source default'],
  });
});
