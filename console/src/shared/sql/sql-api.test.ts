import { describe, expect, test } from 'vitest';
import { readResult } from './sql-api.ts';

describe('the result of SQL', () => {
  test('names the metadata objects that cascade dropped', () => {
    const dropped = [
      { type: 'select_permission', name: 'select_permission user in table author in source default', definition: {} },
    ];
    expect(readResult({ result_type: 'CommandOk', result: null, dropped })).toEqual({
      rows: undefined,
      more: false,
      dropped: ['select_permission user in table author in source default'],
    });
  });

  test('has rows, column names, and dropped objects only if the service lists them', () => {
    expect(readResult({ result_type: 'TuplesOk', result: [['id'], ['1']] })).toEqual({
      rows: { columns: ['id'], values: [['1']] },
      more: false,
      dropped: [],
    });
  });
});
