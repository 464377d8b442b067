import { SourceName } from '@joinery/metadata/names';
import { describe, expect, test } from 'vitest';
import { resolveSources } from '../../../test/support/model/catalog.ts';
import {
  nativeCatalog,
  nativeRoots,
  nativeTable,
  resolveNative,
  rowModel,
  rowsQuery,
} from '../../../test/support/model/native-queries.ts';
import { ServiceError } from '../../base/errors.ts';
import type { QueryShape } from '../../postgres/catalog/catalog-types.ts';

/** Returns why the only native query was dropped, without the beginning of the message. */
function reasonOf(...args: Parameters<typeof resolveNative>): string {
  const model = resolveNative(...args);
  const [found] = model.inconsistencies;
  expect([model.inconsistencies.length, found?.type]).toEqual([1, 'native_query']);
  return found?.reason.replace('in native query "rows": ', '') ?? '';
}

describe('a native query', () => {
  test('has the rows of its logical model, and its SQL with the declared arguments', () => {
    const model = resolveNative({
      queries: [
        {
          ...rowsQuery,
          code: 'select {{b}} as id, {{a}} as name;',
          arguments: { a: { type: 'text', nullable: true, description: 'shown' }, b: { type: 'int' } },
          description: 'All rows',
        },
      ],
    });
    const a = { name: 'a', type: expect.objectContaining({ name: 'text' }), nullable: true, description: 'shown' };
    const b = { name: 'b', type: expect.objectContaining({ name: 'int4' }), nullable: false, description: undefined };
    expect(model.inconsistencies).toEqual([]);
    expect(nativeTable(model)).toMatchObject({
      name: 'rows',
      graphqlName: 'row',
      typeNames: { '': 'row' },
      roots: { select: 'rows' },
      comment: 'A row of the logical model "row"',
      native: {
        parts: ['select ', b, ' as id, ', a, ' as name'],
        arguments: [a, b],
        argumentsType: 'rows_arguments',
        description: 'All rows',
      },
    });
  });

  test('needs no arguments and no description', () => {
    const queries = [{ ...rowsQuery, code: 'select 1', arguments: null, description: null }];
    expect(nativeTable(resolveNative({ queries })).native).toEqual({
      parts: ['select 1'],
      arguments: [],
      argumentsType: 'rows_arguments',
      description: undefined,
    });
  });

  test.each([
    [
      'of an unknown logical model',
      { returns: 'none' },
      'Logical model "none" does not exist in the source, or was dropped',
    ],
    ['with SQL that is not valid', { code: 'select {{least' }, 'line 1: "{{" is not closed by "}}"'],
    [
      'with an argument of an unknown type',
      { arguments: { least: { type: 'none' } } },
      `in argument "least": Did not recognize scalar type 'none'`,
    ],
    [
      'with an argument that is not declared',
      { code: 'select {{least}}, {{most}}' },
      'the SQL uses an undeclared argument "most"; declare it in arguments',
    ],
    [
      'with an argument that is not used',
      { arguments: { least: { type: 'int' }, most: { type: 'int' } } },
      'the argument "most" is not used in the SQL; remove it',
    ],
  ])('%s is dropped with path and reason', (_what, change, reason) => {
    const definition = { ...rowsQuery, ...change };
    const { inconsistencies } = resolveNative({ queries: [{ ...rowsQuery, root_field_name: 'good' }, definition] });
    expect(inconsistencies).toEqual([
      {
        type: 'native_query',
        name: 'native_query rows in source default',
        path: '$.sources[0].native_queries[1]',
        code: 'validation-failed',
        reason: `in native query "rows": ${reason}`,
        definition,
      },
    ]);
  });
});

describe('the columns that PostgreSQL describes', () => {
  const probe = 'select * from (\nselect id, name\nfrom author where id > (null::int4)\n) as "q" limit 0';
  const queries = [{ ...rowsQuery, code: 'select id, name\nfrom author where id > {{least}}' }];
  const shaped = (shape: QueryShape) => ({ queries, shapes: { [probe]: shape } });
  const columns = (...list: readonly string[]): QueryShape => ({
    kind: 'columns',
    columns: list.map((text) => {
      const [name = '', type = ''] = text.split(' ');
      return { name, type };
    }),
  });

  test.each<[string, QueryShape]>([
    ['in another order and with others', columns('more json', 'name text', 'id int4', 'more text')],
    ['of a query that was not sent', { kind: 'unchecked' }],
  ])('are accepted %s', (_what, shape) => {
    expect(nativeRoots(resolveNative(shaped(shape)))).toEqual(['rows']);
  });

  test.each<[string, QueryShape, string]>([
    ['one is missing', columns('id int4'), 'the query does not return the column "name" of logical model "row"'],
    ['a name is not unique', columns('id int4', 'name text', 'id int4'), 'the query returns several columns "id"'],
    [
      'a type differs',
      columns('id int8', 'name text'),
      'the column "id" has the type int8, and in logical model "row" the type int4',
    ],
    ['the query fails', { kind: 'error', message: 'no table', position: undefined }, 'no table'],
    ['the query fails at a position', { kind: 'error', message: 'no table', position: 38 }, 'line 2: no table'],
  ])('are rejected if %s', (_what, shape, reason) => {
    expect(reasonOf(shaped(shape))).toBe(`Failed to validate query: ${reason}`);
  });
});

describe('the names of native queries and logical models', () => {
  const named = (root_field_name: string) => ({ ...rowsQuery, root_field_name });
  const related = (root_field_name: string) => ({
    ...named(root_field_name),
    object_relationships: [{ name: 'author', using: { remote_table: 'author', column_mapping: { id: 'id' } } }],
  });

  test.each([
    ['a table', [named('author')], 'the root field "author" is taken by table "public.author" of source "default"'],
    ['another query', [named('x'), named('x')], 'the root field "x" is taken by native query "x" of source "default"'],
    [
      'a type of the service, for its arguments',
      [named('x'), related('x_arguments')],
      'the type name "x_arguments" is taken by native query "x" of source "default"',
    ],
    [
      'a logical model, for rows with relationships',
      [related('row')],
      'the type name "row" is taken by logical model "row" of source "default"',
    ],
    [
      'a type of a table, for rows with relationships',
      [related('author_bool_exp')],
      'the type name "author_bool_exp" is taken by table "public.author" of source "default"',
    ],
  ])('are not those of %s', (_what, queries, reason) => {
    const { inconsistencies } = resolveNative({ queries });
    expect(inconsistencies.filter(({ type }) => type === 'native_query')).toEqual([
      expect.objectContaining({
        code: 'already-exists',
        path: `$.sources[0].native_queries[${queries.length - 1}]`,
        reason: `in native query "${queries.at(-1)?.root_field_name}": ${reason}; rename the native query`,
      }),
    ]);
  });

  test('of root fields may be those of types, also of the own logical model, if the query has no relationships', () => {
    expect(nativeRoots(resolveNative({ queries: [named('row'), named('author_bool_exp')] }))).toEqual([
      'row',
      'author_bool_exp',
    ]);
  });

  test('are taken within the namespace of the source only', () => {
    const customization = { root_fields: { namespace: 'shop' } };
    const model = resolveNative({ source: { customization }, queries: [named('author'), named('shop')] });
    expect(model.inconsistencies.map(({ reason }) => reason)).toEqual([
      'in native query "author": the root field "author" is taken by table "public.author" of source "default"; rename the native query',
    ]);
  });

  test.each([
    ['a table', [{ ...rowModel, name: 'author' }], 'table "public.author" of source "default"'],
    ['another model', [rowModel, rowModel], 'logical model "row" of source "default"'],
    [
      'a type of another model',
      [rowModel, { ...rowModel, name: 'row_bool_exp_bool_exp' }],
      'logical model "row" of source "default"',
    ],
  ])('of models are not those of %s', (_what, models, owner) => {
    const { inconsistencies } = resolveNative({ models, queries: [] });
    expect(inconsistencies).toEqual([
      expect.objectContaining({
        type: 'logical_model',
        path: `$.sources[0].logical_models[${models.length - 1}]`,
        reason: expect.stringContaining(`the type name is taken by ${owner}; rename the model`),
      }),
    ]);
  });

  test('are unique over all sources', () => {
    const source = (name: string) => ({
      name,
      tables: [],
      logical_models: [{ ...rowModel, name: `${name}_row` }],
      native_queries: [{ ...rowsQuery, returns: `${name}_row` }],
    });
    const sources = [source('one'), source('two')];
    const catalogs = new Map(['one', 'two'].map((name) => [SourceName.parse(name), nativeCatalog]));
    expect(resolveSources(sources, catalogs).inconsistencies).toMatchObject([
      {
        path: '$.sources[1].native_queries[0]',
        reason: expect.stringContaining('"rows" is taken by native query "rows" of source "one"'),
      },
    ]);
  });
});

test.each([
  ['cannot be read', new Map([[SourceName.parse('lost'), new ServiceError('busy', 'no connection')]])],
  ['has no connection', new Map()],
])('drops everything of a source that %s', (_what, catalogs) => {
  const source = {
    name: 'lost',
    tables: [],
    logical_models: [rowModel],
    native_queries: [
      {
        ...rowsQuery,
        array_relationships: [{ name: 'others', using: { remote_native_query: 'rows', column_mapping: { id: 'id' } } }],
      },
    ],
  };
  const [, ...found] = resolveSources([source], catalogs).inconsistencies;
  const cause = 'source "lost" was dropped; fix it first';
  expect(found.map(({ path, code, reason }) => [path, code, reason])).toEqual([
    ['$.sources[0].logical_models[0]', 'invalid-configuration', `in logical model "row": ${cause}`],
    ['$.sources[0].native_queries[0]', 'invalid-configuration', `in native query "rows": ${cause}`],
    [
      '$.sources[0].native_queries[0].array_relationships[0]',
      'invalid-configuration',
      `in native query "rows": in relationship "others": native query "rows" was dropped: ${cause}`,
    ],
  ]);
});
