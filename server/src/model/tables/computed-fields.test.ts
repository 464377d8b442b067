import { DEFAULT_SOURCE } from '@joinery/metadata/names';
import { describe, expect, test } from 'vitest';
import { catalogOf, functionOf, resolveSources, tableIn, typeOf } from '../../../test/support/model/catalog.ts';
import { ServiceError } from '../../base/errors.ts';
import { type CatalogFunction, relationKey } from '../../postgres/catalog/catalog-types.ts';

const [author, shopAuthor, article, record, trigger] = [501, 502, 503, 504, 505];
const bare = catalogOf(
  { author: { columns: { id: 'int4!', 'full name': 'text' } }, article: { columns: { id: 'int4!' } } },
  [
    typeOf(author, 'author', { schema: 'public', kind: 'composite' }),
    typeOf(shopAuthor, 'author', { schema: 'shop', kind: 'composite' }),
    typeOf(article, 'article', { schema: 'public', kind: 'composite' }),
    typeOf(record, 'record', { kind: 'pseudo' }),
    typeOf(trigger, 'unknown_domain', { kind: 'domain' }),
  ],
);
const oids = new Map([...bare.types.values()].map(({ name, oid }) => [name, oid]));
const [text = 0, json = 0, int = 0] = ['text', 'json', 'int4'].map((name) => oids.get(name));

const row = { name: 'row', type: author, hasDefault: false };
const argument = (name: string, type: number, hasDefault = false) => ({ name, type, hasDefault });

interface Parts {
  /** Overloads of the function `f`. */
  readonly functions?: readonly Partial<CatalogFunction>[];
  readonly field?: object;
  readonly definition?: object;
  readonly table?: object;
  readonly source?: object;
  readonly schema?: string;
}

function resolve({ functions = [{}], schema = 'public', ...parts }: Parts) {
  const overloads = functions.map((more) => functionOf('f', { schema, arguments: [row], returnType: text, ...more }));
  const field = { name: 'extra', definition: { function: { schema, name: 'f' }, ...parts.definition }, ...parts.field };
  const source = {
    name: 'default',
    tables: [{ table: 'author', computed_fields: [field], ...parts.table }, { table: 'article' }],
    ...parts.source,
  };
  const catalog = { ...bare, functions: new Map([[relationKey(schema, 'f'), overloads]]) };
  const model = resolveSources([source], new Map([[DEFAULT_SOURCE, catalog]]));
  const reports = model.inconsistencies.filter(({ type }) => type === 'computed_field');
  return { reports, model, found: tableIn(model, 'author').computedFields?.get(String(field.name)) };
}

describe('a computed field', () => {
  test('is a column that nothing can write, with the value of the function for the row', () => {
    const { found, reports } = resolve({ functions: [{ comment: 'of the database' }] });
    expect(reports).toEqual([]);
    const routine = {
      schema: 'public',
      name: 'f',
      arguments: [expect.objectContaining({ name: 'row', from: 'row' })],
      argumentsType: 'extra_author_args',
    };
    expect(found).toEqual({
      name: 'extra',
      routine,
      comment: 'of the database',
      result: {
        kind: 'scalar',
        column: {
          name: 'extra',
          field: 'extra',
          type: expect.objectContaining({ name: 'text' }),
          nullable: true,
          comment: 'of the database',
          hasDefault: true,
          writable: 'no',
          computed: routine,
        },
      },
    });
  });

  test('has the rows of a tracked table that the function returns', () => {
    const relation = { schema: 'public', name: 'article' };
    const { found } = resolve({
      functions: [{ returnsSet: true, returnType: article, returnsRelation: relation }],
      field: { comment: 'mine' },
    });
    expect(found).toMatchObject({
      name: 'extra',
      comment: 'mine',
      result: { kind: 'rows', table: { name: 'article' } },
    });
  });

  test('has the row in the first argument or in that of the definition, and the session in another', () => {
    const list = [argument('a', int, true), row, argument('session', json)];
    const fromsOf = (definition: object) =>
      resolve({ functions: [{ arguments: list }], definition }).found?.routine.arguments.map(({ from }) => from);
    expect(fromsOf({ table_argument: 'row', session_argument: 'session' })).toEqual(['caller', 'row', 'session']);
    expect(
      resolve({ functions: [{ arguments: [row, argument('b', int)] }] }).found?.routine.arguments.map(
        ({ from }) => from,
      ),
    ).toEqual(['row', 'caller']);
  });

  test('has the custom name of the table and the names of the source in the type of its arguments', () => {
    const table = { configuration: { custom_name: 'writer' } };
    const source = { customization: { type_names: { prefix: 'p_', suffix: '_s' } } };
    expect(resolve({ table, source }).found?.routine.argumentsType).toBe('p_extra_writer_args_s');
  });
});

describe('an invalid computed field is dropped with path and reason', () => {
  const added = 'the computed field "extra" cannot be added to table "author" ';
  const article_ = { returnsSet: true, returnType: article, returnsRelation: { schema: 'public', name: 'article' } };
  test.each<[string, Parts, string]>([
    ['without the function', { functions: [] }, 'no such function exists: "f"'],
    ['without the function of another schema', { functions: [], schema: 'shop' }, 'no such function exists: "shop.f"'],
    [
      'of an overloaded function',
      { functions: [{}, {}] },
      'the function "f" is overloaded, and overloaded functions are not supported; give one another name',
    ],
    [
      'of a volatile function',
      { functions: [{ volatility: 'volatile' }] },
      `${added}because the function "f" is of type VOLATILE; cannot be added as a computed field`,
    ],
    ['of a variadic function', { functions: [{ variadic: true }] }, `${added}because the function "f" is variadic`],
    [
      'of a function without arguments',
      { functions: [{ arguments: [] }] },
      `${added}because the function "f" has no input arguments`,
    ],
    [
      'without the argument for the row',
      { definition: { table_argument: 'none' } },
      `${added}because "none" is not an input argument of the function "f"`,
    ],
    [
      'without the argument for the session',
      { definition: { session_argument: 'none' } },
      `${added}because "none" is not an input argument of the function "f"`,
    ],
    [
      'of a function of another table',
      { functions: [{ arguments: [argument('a', article)] }] },
      `${added}because first argument of the function "f" of type "public.article" is not the table to which the computed field is being added`,
    ],
    [
      'of a function of a table of another schema',
      { functions: [{ arguments: [argument('a', shopAuthor)] }] },
      `${added}because first argument of the function "f" of type "shop.author" is not the table to which the computed field is being added`,
    ],
    [
      'of a function of a scalar',
      { functions: [{ arguments: [row, argument('a', int)] }], definition: { table_argument: 'a' } },
      `${added}for the following reasons:\n  • "a" argument of the function "f" is not COMPOSITE type\n  • "a" argument of the function "f" of type "pg_catalog.int4" is not the table to which the computed field is being added\n`,
    ],
    [
      'of a function of a type that is not in the catalog',
      { functions: [{ arguments: [argument('a', 1)] }] },
      `${added}for the following reasons:\n  • first argument of the function "f" is not COMPOSITE type\n  • first argument of the function "f" of type "undefined.undefined" is not the table to which the computed field is being added\n`,
    ],
    [
      'of a function that returns a set of scalars',
      { functions: [{ returnsSet: true }] },
      `${added}because the function "f" returning SETOF type "pg_catalog.text" is not supported; return rows of a table`,
    ],
    [
      'of a function that returns rows of a table that is not tracked',
      { functions: [{ ...article_, returnsRelation: { schema: 'shop', name: 'article' } }] },
      `${added}because the function "f" returning set of table "shop.article" is not tracked`,
    ],
    ...(
      [
        ['a row', article, 'public.article'],
        ['a record', record, 'pg_catalog.record'],
        ['an unknown type', trigger, 'pg_catalog.unknown_domain'],
        ['a type that is not in the catalog', 1, 'undefined.undefined'],
      ] as const
    ).map(([what, returnType, type]): [string, Parts, string] => [
      `of a function that returns ${what}`,
      { functions: [{ returnType }] },
      `${added}because the function "f" returning type "${type}" is not a BASE type`,
    ]),
    [
      'of a function with an argument without a GraphQL name',
      { functions: [{ arguments: [row, argument('a b', int)] }] },
      `${added}because the argument "a b" of the function "f" has no GraphQL name; rename it`,
    ],
    [
      'with the name of a relationship',
      {
        table: {
          object_relationships: [
            {
              name: 'extra',
              using: { manual_configuration: { remote_table: 'article', column_mapping: { id: 'id' } } },
            },
          ],
        },
      },
      'the table has another field of that name; choose another',
    ],
  ])('%s', (_what, parts, reason) => {
    const { found, reports } = resolve(parts);
    expect(found).toBeUndefined();
    expect(reports).toMatchObject([
      {
        name: 'computed_field extra in table author in source default',
        path: '$.sources[0].tables[0].computed_fields[0]',
        reason: `in table "author": in computed field "extra": ${reason}`,
      },
    ]);
  });

  test.each([
    ['a field', 'id', {}],
    ['a column with a custom name', 'id', { configuration: { column_config: { id: { custom_name: 'key' } } } }],
    ['the custom name of a column', 'key', { configuration: { column_config: { id: { custom_name: 'key' } } } }],
  ])('with the name of %s', (_what, name, table) => {
    const { reports } = resolve({ field: { name }, table });
    expect(reports.map(({ reason }) => reason)).toEqual([
      expect.stringContaining('field definition conflicts with postgres column'),
    ]);
  });

  test('with the name of an earlier one', () => {
    const one = { name: 'extra', definition: { function: 'f' } };
    const { reports, found } = resolve({ table: { computed_fields: [one, one] } });
    expect(found).toBeDefined();
    expect(reports.map(({ path }) => path)).toEqual(['$.sources[0].tables[0].computed_fields[1]']);
  });

  test('with its source', () => {
    const one = { name: 'extra', definition: { function: 'f' } };
    const source = { name: 'default', tables: [{ table: 'author', computed_fields: [one] }] };
    const { inconsistencies } = resolveSources(
      [source],
      new Map([[DEFAULT_SOURCE, new ServiceError('busy', 'no connection')]]),
    );
    expect(inconsistencies.map(({ type }) => type)).toEqual(['source', 'table', 'computed_field']);
  });
});
