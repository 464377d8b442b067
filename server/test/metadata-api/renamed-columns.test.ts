/** Columns that SQL renames are renamed in the metadata, and `cascade` lists the objects that it drops. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { relationKey } from '../../src/postgres/catalog/catalog-types.ts';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';
import { startServiceCore, type TestServiceCore } from '../support/service/service-core.ts';

const tables = `
  create table author (id int primary key, label text, born int, secret text);
  create table article (id int primary key, title text, author_id int references author, lead text);
  create view writer as select id, label from author;
  create materialized view counted as select author_id, count(*) as articles from article group by 1;
  create function articles_of(author) returns setof article language sql stable as
    $$ select * from article where author_id = $1.id $$;
  create function grow() returns void language plpgsql as
    $$ begin execute 'alter table author ren' || 'ame label to full_name'; end $$;
`;

const metadata = {
  version: 3,
  sources: [
    {
      name: 'default',
      tables: [
        {
          table: 'author',
          configuration: { column_config: { born: { custom_name: 'year', comment: 'of birth' } } },
          array_relationships: [
            { name: 'articles', using: { foreign_key_constraint_on: { table: 'article', column: 'author_id' } } },
          ],
          computed_fields: [{ name: 'written', definition: { function: 'articles_of' } }],
          select_permissions: [
            {
              role: 'user',
              permission: {
                columns: ['id', 'label', 'born'],
                filter: { _or: [{ label: { _eq: 'X-Service-Name' } }, { written: { lead: { _eq: 'x' } } }] },
              },
            },
          ],
          insert_permissions: [
            {
              role: 'user',
              permission: {
                columns: ['id', 'label'],
                check: { label: { _cne: 'secret' } },
                set: { secret: 'X-Service-Name' },
              },
            },
          ],
        },
        {
          table: 'article',
          object_relationships: [{ name: 'author', using: { foreign_key_constraint_on: 'author_id' } }],
          select_permissions: [
            { role: 'user', permission: { columns: ['id', 'title'], filter: { author: { born: { _gt: 0 } } } } },
          ],
        },
        {
          table: 'writer',
          array_relationships: [
            {
              name: 'articles',
              using: { manual_configuration: { remote_table: 'article', column_mapping: { id: 'author_id' } } },
            },
          ],
        },
        { table: 'counted', configuration: { column_config: { articles: { custom_name: 'total' } } } },
      ],
    },
  ],
};
const stored = {
  query_collections: [
    {
      name: 'c',
      definition: {
        queries: [
          { name: 'names', query: '{ author { label } }' },
          { name: 'years', query: '{ author { year } }' },
        ],
      },
    },
  ],
  rest_endpoints: [
    {
      name: 'names',
      url: 'names',
      methods: ['GET'],
      definition: { query: { collection_name: 'c', query_name: 'names' } },
    },
  ],
};

let database: TestDatabase;
let node: TestServiceCore;

beforeAll(async () => {
  database = await testDatabase({ migrated: true });
  node = await startServiceCore(database);
});

afterAll(async () => {
  await node?.stop();
  await database?.drop();
});

beforeEach(async () => {
  const text = `drop schema public cascade; drop schema if exists shop cascade; create schema public; ${tables}`;
  await database.database.query({ text, values: [] });
  await node.run('bulk', [{ type: 'clear_metadata' }, { type: 'reload_metadata' }]);
  await node.run('replace_metadata', metadata);
  expect(node.model().inconsistencies).toEqual([]);
});

const commandOk = { result_type: 'CommandOk', result: null };

/** Returns the metadata with the tables in the order of their JSON, because exports sort them by name. */
function byTable({
  sources,
  ...rest
}: {
  readonly sources: readonly { readonly tables: readonly unknown[] }[];
}): unknown {
  return {
    ...rest,
    sources: sources.map((one) => ({ ...one, tables: one.tables.map((table) => JSON.stringify(table)).sort() })),
  };
}

/** Returns the exported metadata with the names replaced. */
async function exportWith(...names: readonly (readonly [string, string])[]): Promise<unknown> {
  const text = JSON.stringify(await node.run('export_metadata'));
  return byTable(JSON.parse(names.reduce((result, [from, to]) => result.replaceAll(`"${from}"`, `"${to}"`), text)));
}

function fieldsOf(name: string, schema = 'public'): readonly string[] {
  const table = node.model().sources.values().next().value?.tables.get(relationKey(schema, name));
  return [...(table?.columns.keys() ?? [])];
}

describe('a column that run_sql renames', () => {
  test.each([
    ['a column of a table', 'alter table author rename column label to full_name', ['label', 'full_name']],
    ['a column with a custom name', 'alter table author rename born to year_of_birth', ['born', 'year_of_birth']],
    ['a foreign key', 'alter table article rename author_id to writer_id', ['author_id', 'writer_id']],
    ['a column with a preset', 'alter table author rename secret to hidden', ['secret', 'hidden']],
    ['a column of a computed field in a row rule', 'alter table article rename lead to intro', ['lead', 'intro']],
    [
      'a column of a materialized view',
      'alter materialized view counted rename articles to number',
      ['"none"', '"none"'],
    ],
    ['a column that a called function renames', 'do $$ begin perform grow(); end $$', ['label', 'full_name']],
    [
      'a column that also gets another type',
      'alter table author rename born to age; alter table author alter age type bigint',
      ['born', 'age'],
    ],
  ] as const)('is renamed everywhere in the metadata: %s', async (_case, sql, [from, to]) => {
    const before = await exportWith([from, to]);
    expect(await node.run('run_sql', { sql })).toEqual(commandOk);
    if (from !== '"none"') expect(await exportWith()).toEqual(before);
    expect(node.model().inconsistencies).toEqual([]);
  });

  test('keeps its custom name, and has a new field name without one', async () => {
    await node.run('run_sql', {
      sql: 'alter table author rename born to b; alter table author rename label to full_name',
    });
    expect(fieldsOf('author')).toEqual(['id', 'full_name', 'year', 'secret']);
    await node.run('run_sql', { sql: 'alter materialized view counted rename articles to number' });
    expect(fieldsOf('counted')).toEqual(['author_id', 'total']);
  });

  test('is renamed with cascade, which drops nothing', async () => {
    const before = await exportWith(['label', 'full_name']);
    expect(await node.run('run_sql', { sql: 'alter table author rename label to full_name', cascade: true })).toEqual(
      commandOk,
    );
    expect(await exportWith()).toEqual(before);
  });

  test('is renamed without a transaction', async () => {
    const before = await exportWith(['label', 'full_name']);
    await node.run('run_sql', { sql: 'alter table author rename label to full_name', transaction: false });
    expect(await exportWith()).toEqual(before);
  });

  test('is renamed in the column mapping of a relationship if it is a column of a view', async () => {
    await node.run('run_sql', { sql: 'alter view writer rename column id to number' });
    expect(JSON.stringify(await node.run('export_metadata'))).toContain('"column_mapping":{"number":"author_id"}');
  });

  test('may swap its name with another column', async () => {
    const sql = `alter table author rename label to x; alter table author rename born to label;
      alter table author rename x to born`;
    const before = await exportWith(['label', '?'], ['born', 'label'], ['?', 'born']);
    await node.run('run_sql', { sql });
    expect(await exportWith()).toEqual(before);
    expect(fieldsOf('author')).toEqual(['id', 'born', 'year', 'secret']);
  });

  test('is renamed together with its table, which also moves to another schema', async () => {
    const text = JSON.stringify(await node.run('export_metadata'));
    const sql = `create schema shop; alter table article rename author_id to by; alter table article rename to text;
      alter table text set schema shop`;
    await node.run('run_sql', { sql });
    const renamed = text
      .replaceAll('"author_id"', '"by"')
      .replaceAll('"name":"article","schema":"public"', '"name":"text","schema":"shop"');
    expect(await exportWith()).toEqual(byTable(JSON.parse(renamed)));
    expect(node.model().inconsistencies).toEqual([]);
  });

  test('is distinguished from a column that is dropped and added again with the same name', async () => {
    const before = await exportWith();
    await node.run('run_sql', { sql: 'alter table author drop secret; alter table author add secret text' });
    expect(await exportWith()).toEqual(before);
  });

  test('is distinguished from a new column with its old name', async () => {
    const before = await exportWith(['secret', 'hidden']);
    await node.run('run_sql', {
      sql: 'alter table author rename secret to hidden; alter table author add secret text',
    });
    expect(await exportWith()).toEqual(before);
  });

  test('has its new name in later commands of the bulk', async () => {
    await node.run('bulk', [
      { type: 'run_sql', args: { sql: 'alter table author rename label to full_name' } },
      {
        type: 'create_select_permission',
        args: { table: 'author', role: 'other', permission: { columns: ['full_name'], filter: {} } },
      },
    ]);
    expect(node.model().inconsistencies).toEqual([]);
  });

  test('is rejected if a stored operation selects its field, which cascade drops and lists', async () => {
    await node.run('replace_metadata', { ...metadata, ...stored });
    const sql = 'alter table author rename label to full_name; alter table author rename born to b';
    expect(await node.rejection('run_sql', { sql })).toMatchObject({
      code: 'dependency-error',
      message: expect.stringContaining('query_collections names in c'),
    });
    expect(await node.run('run_sql', { sql, cascade: true })).toEqual({
      ...commandOk,
      dropped: [
        {
          type: 'query_collections',
          name: 'query_collections names in c',
          definition: { name: 'names', query: '{ author { label } }' },
        },
        expect.objectContaining({ type: 'rest_endpoint', name: 'rest_endpoint names' }),
      ],
    });
  });
});

describe('cascade lists the dropped objects', () => {
  const names = async (type: string, args: object) => {
    const result = (await node.run(type, { ...args, cascade: true })) as {
      dropped?: readonly { type: string; name: string; definition: unknown }[];
    };
    return result.dropped?.map(({ name }) => name).sort();
  };

  test('of SQL that drops a column', async () => {
    expect(await names('run_sql', { sql: 'alter table author drop born' })).toEqual([
      'select_permission user in table article in source default',
      'select_permission user in table author in source default',
      'table_configuration born of table author in source default',
    ]);
  });

  test('of SQL that drops a table', async () => {
    expect(await names('run_sql', { sql: 'drop table article cascade' })).toEqual([
      'array_relation articles in table author in source default',
      'array_relation articles in table writer in source default',
      'computed_field written in table author in source default',
      'object_relation author in table article in source default',
      'select_permission user in table article in source default',
      'select_permission user in table author in source default',
      'table article in source default',
      'table counted in source default',
      'table_configuration articles of table counted in source default',
    ]);
  });

  test('of a command, without the object that it names', async () => {
    expect(await names('untrack_table', { table: 'article' })).toEqual([
      'array_relation articles in table author in source default',
      'array_relation articles in table writer in source default',
      'computed_field written in table author in source default',
      'select_permission user in table author in source default',
    ]);
    await node.run('replace_metadata', metadata);
    const many = { tables: [{ table: 'article' }] };
    expect(await names('untrack_tables', many)).toHaveLength(4);
    await node.run('replace_metadata', metadata);
    expect(await names('drop_relationship', { table: 'article', relationship: 'author' })).toEqual([
      'select_permission user in table article in source default',
    ]);
    expect(await names('drop_computed_field', { table: 'author', name: 'written' })).toEqual([
      'select_permission user in table author in source default',
    ]);
  });

  test('with their definitions, and omits the member if nothing is dropped', async () => {
    expect(
      await node.run('drop_relationship', { table: 'article', relationship: 'author', cascade: true }),
    ).toMatchObject({
      message: 'success',
      dropped: [{ definition: { role: 'user', permission: { columns: ['id', 'title'] } } }],
    });
    expect(await node.run('drop_relationship', { table: 'writer', relationship: 'articles', cascade: true })).toEqual({
      message: 'success',
    });
  });
});
