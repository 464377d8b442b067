/** Tests of functions that cannot be tracked, each dropped alone with a reason. */
import { Metadata } from '@joinery/metadata/metadata';
import { DEFAULT_SOURCE } from '@joinery/metadata/names';
import { describe, expect, test } from 'vitest';
import { resolveSources } from '../../../test/support/model/catalog.ts';
import { ServiceError } from '../../base/errors.ts';
import {
  type Catalog,
  type CatalogFunction,
  type CatalogType,
  relationKey,
} from '../../postgres/catalog/catalog-types.ts';
import { resolve } from '../resolve.ts';

const type = (oid: number, name: string, kind: CatalogType['kind']): [number, CatalogType] => [
  oid,
  {
    oid,
    schema: kind === 'composite' ? 'public' : 'pg_catalog',
    name,
    kind,
    category: 'S',
    sqlName: name,
    labels: [],
    baseType: undefined,
    elementType: undefined,
    extension: undefined,
  },
];

const plain: CatalogFunction = {
  schema: 'public',
  name: 'f',
  oid: 100,
  volatility: 'stable',
  arguments: [],
  variadic: false,
  returnsSet: true,
  returnType: 9,
  returnsRelation: { schema: 'public', name: 'author' },
  comment: undefined,
};

function resolved(functions: readonly CatalogFunction[], entry: object = {}, infer = true, more: object = {}) {
  const catalog: Catalog = {
    version: 180000,
    types: new Map([type(1, 'text', 'base'), type(2, 'json', 'base'), type(9, 'author', 'composite')]),
    relations: new Map(
      ['author', 'other'].map((name) => [
        relationKey('public', name),
        {
          schema: 'public',
          name,
          kind: 'table',
          comment: undefined,
          columns: [
            {
              name: 'id',
              position: 1,
              type: 1,
              nullable: false,
              hasDefault: false,
              generated: false,
              identity: undefined,
              comment: undefined,
            },
          ],
          primaryKey: undefined,
          uniqueKeys: [],
          foreignKeys: [],
          insertable: true,
          updatable: true,
          deletable: true,
        },
      ]),
    ),
    functions: new Map([[relationKey('public', 'f'), functions]]),
    extensions: new Map(),
  };
  const source = { name: 'default', tables: [{ table: 'author' }], functions: [{ function: 'f', ...entry }], ...more };
  const model = resolve({
    version: 1,
    metadata: Metadata.parse({ version: 3, sources: [source] }),
    catalogs: new Map([[DEFAULT_SOURCE, catalog]]),
    upstreams: new Map(),
    environment: {},
    sessionPrefix: 'x-service-',
    inferFunctionPermissions: infer,
  });
  return { ...model, found: model.sources.get(DEFAULT_SOURCE)?.functions?.get(relationKey('public', 'f')) };
}

test('a stable function is a query, a volatile one a mutation unless the metadata sets exposed_as', () => {
  const volatile = { ...plain, volatility: 'volatile' } as const;
  expect(resolved([plain]).found).toMatchObject({ exposedAs: 'query', inferred: true });
  expect(resolved([plain], {}, false).found).toMatchObject({ inferred: false });
  expect(resolved([volatile]).found).toMatchObject({ exposedAs: 'mutation', inferred: false });
  const asQuery = { configuration: { exposed_as: 'query' } };
  expect(resolved([volatile], asQuery).found).toMatchObject({ exposedAs: 'query', inferred: false });
});

test('arguments without a name are named by position, and the session argument is not exposed', () => {
  const list = [
    { name: '', type: 1, hasDefault: false },
    { name: 'session', type: 2, hasDefault: false },
  ];
  const { found } = resolved([{ ...plain, arguments: list }], { configuration: { session_argument: 'session' } });
  expect(found?.routine.arguments).toMatchObject([
    { field: 'arg_1', from: 'caller' },
    { field: 'session', from: 'session' },
  ]);
});

test('applies custom names of root fields', () => {
  const roots = { custom_root_fields: { function_aggregate: 'sums' }, custom_name: 'people' };
  expect(resolved([plain], { configuration: roots }).found?.roots).toEqual({
    function: 'people',
    function_aggregate: 'sums',
  });
});

test('has its comment, and the roles of its permissions', () => {
  const entry = { comment: 'mine', permissions: [{ role: 'caller' }] };
  const commented = { ...plain, comment: 'of the database' };
  expect(resolved([commented], entry).found).toMatchObject({ comment: 'mine', roles: new Set(['caller']) });
  expect(resolved([commented]).found).toMatchObject({ comment: 'of the database', roles: new Set() });
});

test.each([true, false])('returns a set of rows or one row: %s', (returnsSet) => {
  expect(resolved([{ ...plain, returnsSet }]).found?.returnsSet).toBe(returnsSet);
});

describe('the names of a function', () => {
  const names = (configuration: object, customization: object = {}) => {
    const { found } = resolved([plain], { configuration }, true, { customization });
    return [
      found?.roots.function,
      found?.roots.function_aggregate,
      found?.connectionRoot,
      found?.routine.argumentsType,
    ];
  };
  const convention = { naming_convention: 'graphql-default' };

  test.each<[string, object, object, readonly string[]]>([
    ['its own', {}, {}, ['f', 'f_aggregate', 'f_connection', 'f_args']],
    ['custom', { custom_name: 'my_f' }, {}, ['my_f', 'my_f_aggregate', 'my_f_connection', 'my_f_args']],
    ['custom roots', { custom_root_fields: { function: 'all' } }, {}, ['all', 'f_aggregate', 'f_connection', 'f_args']],
    ['by convention', {}, convention, ['f', 'fAggregate', 'f_connection', 'fArgs']],
    [
      'custom, by convention',
      { custom_name: 'my_f' },
      convention,
      ['my_f', 'my_f_aggregate', 'my_f_connection', 'my_fArgs'],
    ],
    [
      'with prefix and suffix',
      {},
      { root_fields: { prefix: 'r_', suffix: '_z' }, type_names: { prefix: 'p_', suffix: '_s' } },
      ['r_f_z', 'r_f_aggregate_z', 'r_f_connection_z', 'p_f_args_s'],
    ],
  ])('are %s', (_what, configuration, customization, expected) => {
    expect(names(configuration, customization)).toEqual(expected);
  });

  test.each([
    [
      'the mutation of a table',
      { custom_name: 'insert_author' },
      'the root field "insert_author" is taken by table "author"; set a custom_name or custom_root_fields',
    ],
    [
      'an aggregate of a table',
      { custom_root_fields: { function_aggregate: 'author_aggregate' } },
      'the root field "author_aggregate" is taken by table "public.author" of source "default"; set a custom_name or custom_root_fields',
    ],
    [
      'another of the function',
      { custom_root_fields: { function: 'all', function_aggregate: 'all' } },
      'the root field "all" is taken by another root field of the function; set a custom_name or custom_root_fields',
    ],
  ])('are not those of %s', (_what, configuration, reason) => {
    expect(resolved([plain], { configuration }).inconsistencies.map((one) => one.reason)).toEqual([
      expect.stringContaining(reason),
    ]);
  });

  test('are not those of an earlier function', () => {
    const functions = [{ function: 'f' }, { function: 'g', configuration: { custom_root_fields: { function: 'f' } } }];
    const { inconsistencies } = resolved([plain], {}, true, { functions });
    expect(inconsistencies.map(({ reason }) => reason)).toEqual([
      expect.stringContaining('no such function exists: "g"; create it, or untrack it'),
    ]);
    const twice = resolved([plain], {}, true, { functions: [{ function: 'f' }, { function: 'f' }] });
    expect(twice.inconsistencies.map(({ reason }) => reason)).toEqual([
      expect.stringContaining('the root field "f" is taken by function "f"; set a custom_name or custom_root_fields'),
    ]);
  });

  test('of its arguments are not those of a type of an earlier function', () => {
    const roots = { custom_root_fields: { function: 'x', function_aggregate: 'y' } };
    const functions = [{ function: 'f' }, { function: 'f', configuration: roots }];
    expect(resolved([plain], {}, true, { functions }).inconsistencies.map(({ reason }) => reason)).toEqual([
      expect.stringContaining('the type name "f_args" is taken by function "f"; set a custom_name'),
    ]);
  });

  test('are unique within the namespace of the source', () => {
    const customization = { root_fields: { namespace: 'shop' } };
    expect(resolved([plain], {}, true, { customization }).inconsistencies).toEqual([]);
    const taken = resolved([plain], { configuration: { custom_name: 'author' } }, true, { customization });
    expect(taken.inconsistencies.map(({ reason }) => reason)).toEqual([
      expect.stringContaining('the root field "author" is taken by table "public.author"'),
    ]);
  });
});

test('a function that returns rows of a hidden table is dropped, which is accepted', () => {
  const customization = { type_names: { prefix: '__' } };
  const { found, inconsistencies } = resolved([plain], {}, true, { customization });
  expect(found).toBeUndefined();
  expect(inconsistencies.find(({ type }) => type === 'function')).toMatchObject({
    reason: expect.stringContaining('table "author", whose rows it returns, is in no schema; fix that table first'),
    accepted: true,
  });
});

test.each([
  ['cannot be read', new Map([[DEFAULT_SOURCE, new ServiceError('busy', 'no connection')]])],
  ['has no connection', new Map()],
])('a function of a source that %s is dropped', (_, catalogs) => {
  const source = { name: 'default', tables: [], functions: [{ function: 'f' }] };
  expect(resolveSources([source], catalogs).inconsistencies.at(-1)).toMatchObject({
    type: 'function',
    path: '$.sources[0].functions[0]',
    reason: expect.stringContaining('source "default" was dropped; fix it first'),
  });
});

test('adds roles that only a function permission names to the roles of the model', () => {
  expect([...resolved([plain], { permissions: [{ role: 'caller' }] }).roles]).toEqual(['caller']);
});

test.each<readonly [string, readonly CatalogFunction[], object, string]>([
  ['that is not there', [], {}, 'no such function exists: "f"'],
  ['that is overloaded', [plain, { ...plain, oid: 101 }], {}, 'function "f" is overloaded'],
  ['that is variadic', [{ ...plain, variadic: true }], {}, 'function with "VARIADIC" parameters are not supported'],
  ['without rows', [{ ...plain, returnsRelation: undefined }], {}, 'does not return rows of a table'],
  [
    'of a table that is not tracked',
    [{ ...plain, returnsRelation: { schema: 'public', name: 'other' } }],
    {},
    'table "other" is not tracked',
  ],
  [
    'whose session argument is not there',
    [plain],
    { configuration: { session_argument: 's' } },
    '"s" is not an input argument of the function "f"',
  ],
  [
    'whose session argument is text',
    [{ ...plain, arguments: [{ name: 's', type: 1, hasDefault: false }] }],
    { configuration: { session_argument: 's' } },
    '"s" argument of the function "f" is not of type JSON',
  ],
  [
    'with the root field of a table',
    [plain],
    { configuration: { custom_name: 'author' } },
    'the root field "author" is taken by table "public.author" of source "default"',
  ],
  [
    'that is stable, as a mutation',
    [plain],
    { configuration: { exposed_as: 'mutation' } },
    'the function "f" cannot be tracked because it is STABLE, and only a volatile function can be a mutation',
  ],
  [
    'with several errors',
    [{ ...plain, variadic: true, returnsRelation: undefined }],
    {},
    'cannot be tracked for the following reasons:\n  • function with "VARIADIC" parameters are not supported\n  • the function does not return rows of a table\n',
  ],
  [
    'with an argument of an unknown type',
    [{ ...plain, arguments: [{ name: 'a', type: 77, hasDefault: false }] }],
    {},
    'the function "f" cannot be tracked because the type of argument "a" of the function "f" is not known',
  ],
  ['without a GraphQL name', [{ ...plain, name: 'a b' }], {}, '"a b" is not a GraphQL name; set a custom_name'],
])('a function %s is dropped', (_, functions, entry, reason) => {
  const { found, inconsistencies, sources } = resolved(functions, entry);
  expect(found).toBeUndefined();
  expect(inconsistencies).toMatchObject([
    { type: 'function', path: '$.sources[0].functions[0]', reason: expect.stringContaining(reason) },
  ]);
  expect(sources.get(DEFAULT_SOURCE)?.tables.size).toBe(1);
});
