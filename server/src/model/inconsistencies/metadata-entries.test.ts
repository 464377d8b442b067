/** Tests of the entries of the metadata with their paths, and of the reports of their errors. */
import { Metadata } from '@joinery/metadata/metadata';
import { DEFAULT_SOURCE, SourceName } from '@joinery/metadata/names';
import { describe, expect, test } from 'vitest';
import { catalogOf } from '../../../test/support/model/catalog.ts';
import { draftOf } from '../../../test/support/model/draft.ts';
import { ServiceError } from '../../base/errors.ts';
import type { Catalog } from '../../postgres/catalog/catalog-types.ts';
import type { Draft } from '../types/draft.ts';
import {
  draftTables,
  reportColumn,
  reportComputedField,
  reportConfiguration,
  reportContents,
  reportFunction,
  reportHidden,
  reportSource,
  reportTable,
  whyNoCatalog,
  whyNoTable,
  writtenFunctions,
  writtenSources,
  writtenTables,
} from './metadata-entries.ts';

const by = { using: { foreign_key_constraint_on: 'a' } };
const permission = { role: 'user', permission: { columns: '*', filter: {} } };
const computed = { name: 'full', definition: { function: 'full' } };
const trigger = { name: 'changed', definition: { enable_manual: true }, webhook: 'http://127.0.0.1/' };
const contents = {
  object_relationships: [{ name: 'one', ...by }],
  array_relationships: [
    { name: 'many', ...by },
    { name: 'more', ...by, comment: 'a comment' },
  ],
  computed_fields: [computed],
  insert_permissions: [{ role: 'user', permission: { check: {}, columns: '*' } }],
  select_permissions: [permission],
  update_permissions: [{ role: 'user', permission: { columns: '*', filter: {} } }],
  delete_permissions: [{ role: 'user', permission: { filter: {} } }],
  event_triggers: [trigger],
};
const metadata = Metadata.parse({
  version: 3,
  sources: [
    {
      name: 'default',
      tables: [
        { table: 'author' },
        { table: { schema: 'shop', name: 'item' }, configuration: {}, ...contents },
        { table: 'author' },
      ],
      functions: [{ function: 'find' }, { function: { schema: 'shop', name: 'search' } }],
    },
    { name: 'other', tables: [{ table: 'none' }] },
  ],
});

function drafted(catalogs: Draft['input']['catalogs'] = new Map()) {
  const { draft, reports } = draftOf({ tables: { author: { id: 'Int' }, 'shop.item': { id: 'Int' } } });
  const own: Draft = { ...draft, input: { ...draft.input, metadata, catalogs } };
  const [source, other] = writtenSources(own);
  const [author, item] = source === undefined ? [] : writtenTables(source);
  if (source === undefined || other === undefined || author === undefined || item === undefined)
    throw new Error('no entry');
  return { draft: own, reports, source, other, author, item };
}

test('entries have their source and path', () => {
  const { source, other } = drafted();
  expect([source.path, other.path]).toEqual(['$.sources[0]', '$.sources[1]']);
  expect(writtenTables(source).map(({ path, source: name }) => [name, path])).toEqual([
    ['default', '$.sources[0].tables[0]'],
    ['default', '$.sources[0].tables[1]'],
    ['default', '$.sources[0].tables[2]'],
  ]);
  expect(writtenFunctions(source).map(({ path, source: name, entry }) => [name, path, entry.function.name])).toEqual([
    ['default', '$.sources[0].functions[0]', 'find'],
    ['default', '$.sources[0].functions[1]', 'search'],
  ]);
  expect(writtenFunctions(other)).toEqual([]);
});

test('only the first entry of a table of the draft counts', () => {
  const { draft } = drafted();
  expect(draftTables(draft).map(({ written, table }) => [written.path, table.name])).toEqual([
    ['$.sources[0].tables[0]', 'author'],
    ['$.sources[0].tables[1]', 'item'],
  ]);
});

describe('why a table is not in the draft', () => {
  const other = SourceName.parse('other');
  const catalogs = new Map<SourceName, Catalog | ServiceError>([
    [DEFAULT_SOURCE, catalogOf({})],
    [other, new ServiceError('unexpected', 'no connection')],
  ]);
  const author = { schema: 'public', name: 'author' };
  test.each([
    [SourceName.parse('none'), author, 'source "none" does not exist; name a source of the metadata'],
    [other, author, 'source "other" could not be read: no connection'],
    [DEFAULT_SOURCE, author, 'table "author" is itself inconsistent; fix it first'],
    [
      DEFAULT_SOURCE,
      { schema: 'shop', name: 'author' },
      'table "shop.author" is not tracked in source "default"; track it first',
    ],
    [
      DEFAULT_SOURCE,
      { schema: 'public', name: 'tag' },
      'table "tag" is not tracked in source "default"; track it first',
    ],
  ])('of source %s: %j', (source, table, reason) => {
    expect(whyNoTable(drafted(catalogs).draft, source, table)).toBe(reason);
  });

  test('of a source without a catalog', () => {
    expect(whyNoTable(drafted().draft, DEFAULT_SOURCE, author)).toBe(
      'source "default" could not be read: the service is not connected to it',
    );
    expect(whyNoCatalog(catalogOf({}))).toBeUndefined();
  });
});

describe('a report', () => {
  const reported = (report: (drafted_: ReturnType<typeof drafted>) => void) => {
    const own = drafted();
    report(own);
    return own.reports;
  };
  const named = { schema: 'shop', name: 'item' };
  const inItem = 'table shop.item in source default';

  test('of a source has its name', () => {
    expect(reported(({ draft, source }) => reportSource(draft, source, 'not-exists', 'why', '.configuration'))).toEqual(
      [
        {
          type: 'source',
          name: 'source default',
          path: '$.sources[0].configuration',
          code: 'not-exists',
          reason: 'why',
          definition: 'default',
        },
      ],
    );
  });

  test('of a table begins with its name, or with another text', () => {
    const expected = {
      type: 'table',
      name: inItem,
      path: '$.sources[0].tables[1]',
      code: 'not-exists',
      definition: named,
    };
    expect(reported(({ draft, item }) => reportTable(draft, item, 'not-exists', 'why'))).toEqual([
      { ...expected, reason: 'table "shop.item": why' },
    ]);
    expect(reported(({ draft, item }) => reportTable(draft, item, 'not-exists', 'why', 'here: '))).toEqual([
      { ...expected, reason: 'here: why' },
    ]);
    expect(reported(({ draft, author }) => reportTable(draft, author, 'not-exists', 'why'))).toMatchObject([
      { name: 'table author in source default', reason: 'table "author": why' },
    ]);
  });

  test('of a hidden table is accepted', () => {
    expect(reported(({ draft, item }) => reportHidden(draft, item, 'why'))).toEqual([
      {
        type: 'table',
        name: inItem,
        path: '$.sources[0].tables[1]',
        code: 'invalid-configuration',
        reason: 'table "shop.item": why',
        definition: named,
        accepted: true,
      },
    ]);
  });

  test.each([
    ['first name', ' such as "first_name"'],
    ['\u{1F600}', ''],
  ])('of the column "%s" is accepted, with an example of a name where there is one', (column, example) => {
    expect(reported(({ draft, item }) => reportColumn(draft, item, column))).toEqual([
      {
        type: 'unsupported',
        name: `column ${column} of ${inItem}`,
        path: '$.sources[0].tables[1]',
        code: 'invalid-configuration',
        reason: `table "shop.item": the column "${column}" is in no schema, because its name is not a GraphQL name; set a custom_name${example} in column_config of the configuration`,
        definition: { table: named, column },
        accepted: true,
      },
    ]);
  });

  test('of a configuration has the path of the member', () => {
    expect(
      reported(({ draft, item }) => reportConfiguration(draft, item, 'column_config.name', 'not-exists', 'why')),
    ).toEqual([
      {
        type: 'table_configuration',
        name: `configuration column_config.name of ${inItem}`,
        path: '$.sources[0].tables[1].configuration.column_config.name',
        code: 'not-exists',
        reason: 'table "shop.item": why',
        definition: {},
      },
    ]);
  });

  test('of a function is an error or accepted', () => {
    const [, entry] = writtenFunctions(drafted().source);
    if (entry === undefined) throw new Error('no function');
    const expected = {
      type: 'function',
      name: 'function shop.search in source default',
      path: '$.sources[0].functions[1]',
      code: 'invalid-configuration',
      reason: 'in function "shop.search": why',
      definition: { schema: 'shop', name: 'search' },
    };
    expect(reported(({ draft }) => reportFunction(draft, entry, 'why'))).toEqual([expected]);
    expect(reported(({ draft }) => reportFunction(draft, entry, 'why', { accepted: true }))).toEqual([
      { ...expected, accepted: true },
    ]);
  });

  test('of a computed field has its reason alone', () => {
    const { item } = drafted();
    const [field] = item.entry.computed_fields ?? [];
    if (field === undefined) throw new Error('no computed field');
    expect(reported(({ draft }) => reportComputedField(draft, item, 0, { ...field, comment: 'a' }, 'why'))).toEqual([
      {
        type: 'computed_field',
        name: `computed_field full in ${inItem}`,
        path: '$.sources[0].tables[1].computed_fields[0]',
        code: 'invalid-configuration',
        reason: 'why',
        definition: { ...field, comment: 'a', source: 'default', table: named },
      },
    ]);
  });

  const reports = reported(({ draft, item }) => reportContents(draft, item, 'the cause'));

  test('of the contents of a table covers each of its members', () => {
    expect(reports.map(({ type, path, code }) => [type, path.replace('$.sources[0].tables[1]', ''), code])).toEqual(
      [
        ['object_relation', '.object_relationships[0]'],
        ['array_relation', '.array_relationships[0]'],
        ['array_relation', '.array_relationships[1]'],
        ['computed_field', '.computed_fields[0]'],
        ['insert_permission', '.insert_permissions[0]'],
        ['select_permission', '.select_permissions[0]'],
        ['update_permission', '.update_permissions[0]'],
        ['delete_permission', '.delete_permissions[0]'],
        ['event_trigger', '.event_triggers[0]'],
      ].map((one) => [...one, 'invalid-configuration']),
    );
  });

  test('of the contents of a table names each member, the table and the cause', () => {
    expect(reports.map(({ name, reason }) => [name.replace(` in ${inItem}`, ''), reason])).toEqual([
      ['object_relation one', 'in table "shop.item": in relationship "one": the cause'],
      ['array_relation many', 'in table "shop.item": in relationship "many": the cause'],
      ['array_relation more', 'in table "shop.item": in relationship "more": the cause'],
      ['computed_field full', 'the cause'],
      ...['insert', 'select', 'update', 'delete'].map((kind) => [
        `${kind}_permission user`,
        'in table "shop.item": in permission for role "user": the cause',
      ]),
      ['event_trigger changed', 'in table "shop.item": in event trigger "changed": the cause'],
    ]);
  });

  test('of the contents of a table has their definitions', () => {
    const { entry } = drafted().item;
    const inTable = { source: 'default', table: named };
    expect([0, 2, 3, 5, 8].map((index) => reports[index]?.definition)).toEqual([
      { ...entry.object_relationships?.[0], comment: null, ...inTable },
      { ...entry.array_relationships?.[1], ...inTable },
      { ...entry.computed_fields?.[0], comment: null, ...inTable },
      { ...entry.select_permissions?.[0], comment: null, ...inTable },
      { table: named, configuration: entry.event_triggers?.[0] },
    ]);
  });

  test('of the contents of a table without members is empty', () => {
    expect(reported(({ draft, author }) => reportContents(draft, author, 'the cause'))).toEqual([]);
  });
});
