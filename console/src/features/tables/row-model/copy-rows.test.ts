import { expect, test } from 'vitest';
import { sampleColumn } from '../../../shared/sources/sample-column.ts';
import { copyText } from './copy-rows.ts';

const info = { table: { schema: 'public', name: 'order' } };
const columns = [
  sampleColumn('id', 'int8'),
  sampleColumn('name', 'text'),
  sampleColumn('tags', 'text[]'),
  sampleColumn('doc', 'jsonb'),
];
const rows = [
  { id: 7, name: 'O\'Hara, "Jo"', tags: ['a "b"', null], doc: { a: [1] }, other: 1 },
  { id: 2, name: '', tags: [], doc: null },
];

test('JSON has the visible columns in their order', () => {
  const text = copyText(
    'JSON',
    rows,
    [columns[1], columns[0]].flatMap((one) => one ?? []),
    info,
  );
  expect(text).toContain('"name": "O\'Hara, \\"Jo\\"",\n    "id": 7');
  expect(text).not.toContain('other');
});

test('CSV quotes separators and distinguishes null from the empty text', () => {
  expect(copyText('CSV', rows, columns, info)).toBe(
    `id,name,tags,doc\n7,"O'Hara, ""Jo""","[""a \\""b\\"""",null]","{""a"":[1]}"\n2,"",[],\n`,
  );
});

test('SQL has a literal for each type', () => {
  expect(copyText('SQL insert', rows, columns, info)).toBe(
    [
      'insert into "public"."order" ("id", "name", "tags", "doc") values',
      `  (7, 'O''Hara, "Jo"', '{"a \\"b\\"",null}'::text[], '{"a":[1]}'::jsonb),`,
      `  (2, '', '{}'::text[], null);\n`,
    ].join('\n'),
  );
});

test('SQL leaves out columns that only the database writes', () => {
  const generated = sampleColumn('total', 'int4', { writable: false });
  expect(copyText('SQL insert', [{ id: 1, total: 2 }], [...columns.slice(0, 1), generated], info)).toBe(
    'insert into "public"."order" ("id") values\n  (1);\n',
  );
});
