/** Every place of the metadata that names a table, a source or a query collection follows a rename. */
import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { exportMetadata } from '../../document/export.ts';
import { Metadata } from '../../metadata.ts';
import { QualifiedTable, SourceName } from '../../names.ts';
import { PostgresSource } from '../../schema/sources.ts';
import { CollectionName } from '../../schema/stored-operations.ts';
import { runEdit } from '../edit/command.ts';
import { renameSource } from '../sources.ts';
import { renameQueryCollection } from '../stored-operations/query-collections.ts';
import { renameTable } from './table.ts';

type Schema = z.core.$ZodType;

/** Yields the schemas of all members of metadata, with paths such as `$.sources[].tables`. */
function* schemasIn(schema: Schema, path: string, outer: readonly Schema[] = []): Generator<readonly [string, Schema]> {
  // A list of remote fields contains itself.
  if (outer.includes(schema)) return;
  yield [path, schema];
  const within = [...outer, schema];
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'object':
      for (const [name, member] of Object.entries(def.shape)) yield* schemasIn(member, `${path}.${name}`, within);
      return;
    case 'array':
      return yield* schemasIn(def.element, `${path}[]`, within);
    case 'union':
      for (const option of def.options) yield* schemasIn(option, path, within);
      return;
    case 'optional':
    case 'nullable':
    case 'default':
      return yield* schemasIn(def.innerType, path, within);
    case 'pipe':
      return yield* schemasIn(def.in, path, within);
    default:
  }
}

const schemas = [...schemasIn(Metadata, '$'), ...schemasIn(PostgresSource, '$.sources[]')];
const places = (isPlace: (path: string, schema: Schema) => boolean): readonly string[] =>
  [...new Set(schemas.filter(([path, schema]) => isPlace(path, schema)).map(([path]) => path))].sort();

/** Yields the paths of all values that `isName` is true for. */
function* pathsIn(value: unknown, path: string, isName: (value: unknown) => boolean): Generator<string> {
  if (isName(value)) yield path;
  if (Array.isArray(value)) for (const item of value) yield* pathsIn(item, `${path}[]`, isName);
  else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value)) yield* pathsIn(member, `${path}.${name}`, isName);
  }
}

interface Names {
  readonly table: string;
  readonly source: string;
  readonly collection: string;
}

const before: Names = { table: 'a table', source: 'a source', collection: 'a collection' };

/** Returns metadata with the names in each of their places. */
function written(names: Names) {
  const table = { schema: 'shop', name: names.table };
  const { source, collection } = names;
  const mapping = { id: 'id' };
  const joined = (name: string) => ({
    name,
    definition: { to_source: { source, table, relationship_type: 'array', field_mapping: mapping } },
  });
  const configured = { remote_table: table, column_mapping: mapping };
  const relationships = [
    { name: 'by_key', using: { foreign_key_constraint_on: { table, column: 'id' } } },
    { name: 'by_columns', using: { manual_configuration: { ...configured, source } } },
  ];
  const ofQueries = [{ name: 'rows', using: configured }];
  const runs = { operation: { collection, name: 'all', role: 'user' } };
  const calls = { function: { source, function: { schema: 'shop', name: 'note' } } };
  const trigger = (name: string, target: object) => ({ name, definition: { enable_manual: true }, target });
  const cron = (name: string, target: object) => ({ name, schedule: '@daily', include_in_metadata: true, target });
  return {
    version: 3,
    sources: [
      {
        name: source,
        tables: [
          {
            table,
            object_relationships: relationships,
            array_relationships: relationships,
            remote_relationships: [joined('far')],
            event_triggers: [trigger('runs', runs), trigger('calls', calls)],
          },
        ],
        native_queries: [
          {
            root_field_name: 'q',
            code: 'select 1 as id',
            returns: 'm',
            object_relationships: ofQueries,
            array_relationships: ofQueries,
          },
        ],
        logical_models: [{ name: 'm', fields: [{ name: 'id', type: 'integer' }] }],
      },
    ],
    remote_schemas: [
      {
        name: 'remote',
        definition: { url: 'https://remote.example/graphql' },
        remote_relationships: [{ type_name: 'Thing', relationships: [joined('far')] }],
      },
    ],
    custom_types: {
      objects: [
        {
          name: 'Result',
          fields: [{ name: 'id', type: 'Int' }],
          relationships: [
            { name: 'rows', type: 'array', source, remote_table: table, field_mapping: mapping },
            joined('far'),
          ],
        },
      ],
    },
    query_collections: [{ name: collection, definition: { queries: [{ name: 'all', query: '{ a { id } }' }] } }],
    allowlist: [{ collection, scope: { global: true } }],
    rest_endpoints: [
      {
        name: 'all',
        url: 'all',
        methods: ['GET'],
        definition: { query: { collection_name: collection, query_name: 'all' } },
      },
    ],
    cron_triggers: [cron('runs', runs), cron('calls', calls)],
  };
}

const metadata = (names: Partial<Names>): Metadata => Metadata.parse(written({ ...before, ...names }));
const lastOf = (path: string): string => path.slice(path.lastIndexOf('.') + 1);

describe('a table', () => {
  test('is in each of its places here', () => {
    const isTable = (value: unknown) => value instanceof Object && 'name' in value && value.name === before.table;
    const here = new Set(pathsIn(written(before), '$', isTable));
    const known = places((path, schema) => schema === QualifiedTable && lastOf(path) !== 'function');
    expect([...here].sort()).toEqual(known);
  });

  test('is renamed in each of them', () => {
    const [from, to] = [before.table, 'b'].map((name) => ({ schema: 'shop', name }));
    if (from === undefined || to === undefined) throw new Error('there are two names');
    const renamed = renameTable(metadata({}), SourceName.parse(before.source), [{ from, to }]);
    expect(exportMetadata(renamed)).toEqual(exportMetadata(metadata({ table: 'b' })));
  });
});

describe('a source', () => {
  test('is in each of its places here', () => {
    const here = new Set(pathsIn(written(before), '$', (value) => value === before.source));
    const known = places((path, schema) => schema === SourceName && lastOf(path) === 'source');
    expect([...here].sort()).toEqual([...known, '$.sources[].name'].sort());
  });

  test('is renamed in each of them', () => {
    const renamed = runEdit(renameSource, { name: before.source, new_name: 'b' }, metadata({}));
    expect(exportMetadata(renamed)).toEqual(exportMetadata(metadata({ source: 'b' })));
  });
});

describe('a query collection', () => {
  test('is in each of its places here', () => {
    const here = new Set(pathsIn(written(before), '$', (value) => value === before.collection));
    const known = places((path, schema) => schema === CollectionName && lastOf(path).startsWith('collection'));
    expect([...here].sort()).toEqual([...known, '$.query_collections[].name'].sort());
  });

  test('is renamed in each of them', () => {
    const renamed = runEdit(renameQueryCollection, { name: before.collection, new_name: 'b' }, metadata({}));
    expect(exportMetadata(renamed)).toEqual(exportMetadata(metadata({ collection: 'b' })));
  });
});
