import { describe, expect, test } from 'vitest';
import {
  nativeRoots,
  nativeTable,
  resolveNative,
  rowModel,
  rowsQuery,
} from '../../../test/support/model/native-queries.ts';

const toAuthor = { name: 'author', using: { remote_table: 'author', column_mapping: { id: 'id' } } };
const toOthers = { name: 'others', using: { remote_native_query: 'others', column_mapping: { name: 'name' } } };
const others = { ...rowsQuery, root_field_name: 'others' };
const related = (object: readonly unknown[], array: readonly unknown[] = []) => [
  { ...rowsQuery, object_relationships: object, array_relationships: array },
  others,
];

describe('a relationship of a native query', () => {
  const model = resolveNative({ queries: related([{ ...toAuthor, comment: 'the author' }], [toOthers]) });
  const table = nativeTable(model);

  test('maps fields of the logical model to columns of a table or of a native query', () => {
    expect(model.inconsistencies).toEqual([]);
    expect([...table.relationships.values()]).toEqual([
      {
        kind: 'object',
        name: 'author',
        target: expect.objectContaining({ name: 'author', graphqlName: 'author' }),
        mapping: [{ from: table.columns.get('id'), to: expect.objectContaining({ name: 'id' }) }],
        nullable: true,
        comment: 'the author',
      },
      {
        kind: 'array',
        name: 'others',
        target: nativeTable(model, 'others'),
        mapping: [{ from: table.columns.get('name'), to: expect.objectContaining({ name: 'name' }) }],
        nullable: true,
        comment: undefined,
      },
    ]);
  });

  test('gives the row type the name of the root field, and no other name', () => {
    expect(table).toMatchObject({ graphqlName: 'rows', typeNames: { '': 'rows', _order_by: 'row_order_by' } });
    expect(nativeTable(model, 'others')).toMatchObject({ graphqlName: 'row', typeNames: { '': 'row' } });
  });

  test('belongs to its native query, not to the logical model', () => {
    expect(nativeTable(model, 'others').relationships.size).toBe(0);
  });

  test.each([
    ['object', [toAuthor], [toOthers]],
    ['array', [], [toOthers, { ...toOthers, name: 'author' }]],
  ])('is needed for each field that has rows as its type, as %s or list', (_kind, object, array) => {
    const fields = [...rowModel.fields, { name: 'author', type: { logical_model: 'writer' } }];
    const models = [rowModel, { ...rowModel, name: 'nested', fields }];
    const [first, second] = related(object, array);
    expect(nativeRoots(resolveNative({ models, queries: [{ ...first, returns: 'nested' }, second] }))).toEqual([
      'rows',
      'others',
    ]);
    const without = resolveNative({
      models,
      queries: [{ ...first, returns: 'nested', object_relationships: [], array_relationships: [toOthers] }, second],
    });
    expect(without.inconsistencies[0]?.reason).toBe(
      'in native query "rows": the field "author" of logical model "nested" needs a relationship "author" of the native query',
    );
  });

  test.each([
    ['with the name of a field', { name: 'id' }, 'the logical model has a field "id"; choose another name'],
    [
      'with the name of another',
      { name: 'author' },
      'the native query has a relationship "author"; choose another name',
    ],
    [
      'to a table that is not tracked',
      { using: { remote_table: 'article', column_mapping: { id: 'id' } } },
      'table "article" is not tracked in source "default"; track it first',
    ],
    [
      'to an unknown native query',
      { using: { remote_native_query: 'none', column_mapping: { id: 'id' } } },
      'native query "none" does not exist in the source, or was dropped',
    ],
    [
      'from an unknown field',
      { using: { remote_table: 'author', column_mapping: { none: 'id' } } },
      'table "rows" has no column "none"',
    ],
    [
      'between types that cannot be compared',
      { using: { remote_table: 'author', column_mapping: { id: 'name' } } },
      'the columns "id" of type int4 and "name" of type text cannot be compared; map columns of one type',
    ],
  ])('%s is dropped with path and reason, and the query remains', (_what, change, reason) => {
    const bad = { ...toAuthor, name: 'bad', comment: 'mine', ...change };
    const found = resolveNative({ queries: related([toAuthor, bad]) });
    const { name, using, comment } = bad;
    expect(found.inconsistencies).toMatchObject([
      {
        type: 'object_relation',
        name: `object_relation ${name} in native_query rows in source default`,
        path: '$.sources[0].native_queries[0].object_relationships[1]',
        code: 'invalid-configuration',
        reason: `in native query "rows": in relationship "${name}": ${reason}`,
        definition: {
          name,
          using: { column_mapping: using.column_mapping },
          comment,
          source: 'default',
          native_query: 'rows',
        },
      },
    ]);
    expect([...nativeTable(found).relationships.keys()]).toEqual(['author']);
  });

  test('is dropped with its native query', () => {
    const [first, second] = related([toAuthor], [toOthers]);
    const { inconsistencies } = resolveNative({ queries: [{ ...first, returns: 'none' }, second] });
    const cause = 'native query "rows" was dropped: Logical model "none" does not exist in the source, or was dropped';
    expect(inconsistencies).toMatchObject([
      { type: 'native_query' },
      {
        type: 'object_relation',
        reason: `in native query "rows": in relationship "author": ${cause}`,
        definition: { comment: null },
      },
      { type: 'array_relation', reason: `in native query "rows": in relationship "others": ${cause}` },
    ]);
  });
});
