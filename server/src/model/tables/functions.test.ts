/** Tests of functions that cannot be tracked, each dropped alone with a reason. */
import { Metadata } from '@joinery/metadata/metadata';
import { DEFAULT_SOURCE } from '@joinery/metadata/names';
import { expect, test } from 'vitest';
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

function resolved(functions: readonly CatalogFunction[], entry: object = {}, infer = true) {
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
  const source = { name: 'default', tables: [{ table: 'author' }], functions: [{ function: 'f', ...entry }] };
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
  ['that is stable, as a mutation', [plain], { configuration: { exposed_as: 'mutation' } }, 'only a volatile function'],
])('a function %s is dropped', (_, functions, entry, reason) => {
  const { found, inconsistencies, sources } = resolved(functions, entry);
  expect(found).toBeUndefined();
  expect(inconsistencies).toMatchObject([
    { type: 'function', path: '$.sources[0].functions[0]', reason: expect.stringContaining(reason) },
  ]);
  expect(sources.get(DEFAULT_SOURCE)?.tables.size).toBe(1);
});
