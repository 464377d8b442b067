/** Mutations: atomicity, order, statements, values and errors. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';
import { type Engine, type EngineRequest, startEngine } from '../support/service/engine.ts';
import { startService } from '../support/service/test-service.ts';

const tables = `
  create type mood as enum ('calm', 'cross');
  create domain short as text check (length(value) < 10) default 'short';
  create table author (id serial primary key, name text unique, visits int not null default 7, parent_id int);
  create table article (
    id serial primary key, title text, author_id int references author deferrable initially immediate
  );
  create table late (id int primary key, author_id int references author deferrable initially deferred);
  create table kinds (
    id int primary key, big bigint, exact numeric, number float8, flag boolean, label text, fixed char(3),
    bytes bytea, at timestamptz, span interval, ident uuid, plain json, binary_json jsonb, moods mood[], feel mood,
    words text[], grid int[], docs jsonb[], range int4range, address inet, brief short, limited varchar(5)
  );
  create view named as select id, name from author;
  insert into author (name) values ('Ann'), ('Bo');
`;
const billing = "create table invoice (number text primary key, author int); insert into invoice values ('i1', 1)";

const metadata = {
  sources: [
    {
      name: 'default',
      tables: [
        {
          table: 'author',
          array_relationships: [
            { name: 'articles', using: { foreign_key_constraint_on: { table: 'article', column: 'author_id' } } },
          ],
          object_relationships: [
            {
              name: 'parent',
              using: { manual_configuration: { remote_table: 'author', column_mapping: { parent_id: 'id' } } },
            },
          ],
          remote_relationships: [
            {
              name: 'invoices',
              definition: {
                to_source: {
                  source: 'billing',
                  table: 'invoice',
                  relationship_type: 'array',
                  field_mapping: { id: 'author' },
                },
              },
            },
          ],
        },
        {
          table: 'article',
          object_relationships: [{ name: 'author', using: { foreign_key_constraint_on: 'author_id' } }],
        },
        { table: 'late' },
        { table: 'kinds' },
        { table: 'named' },
      ],
    },
    { name: 'billing', tables: [{ table: 'invoice' }] },
  ],
};

let db: TestDatabase;
let other: TestDatabase;
let engine: Engine;
beforeAll(async () => {
  db = await testDatabase({ sql: tables });
  other = await testDatabase({ sql: billing });
  engine = await startEngine({ metadata, databases: { default: db.database, billing: other.database } });
});
afterAll(async () => {
  await engine?.close();
  await db?.drop();
  await other?.drop();
});
afterEach(async () => {
  const text = `truncate kinds, late, article, author restart identity cascade;
    insert into author (name) values ('Ann'), ('Bo')`;
  await db.database.query({ text, values: [] });
});

async function run(query: string, variables?: EngineRequest['variables']): Promise<unknown> {
  return JSON.parse((await engine.execute({ query, variables })).body);
}

async function count(table: string): Promise<number> {
  const { rows } = await db.database.query({ text: `select count(*) from ${table}`, values: [] });
  return Number(rows[0]?.[0]);
}

function rejectedWith(code: string, path: string): unknown {
  return { errors: [{ message: expect.any(String), extensions: { code, path } }] };
}

describe('a mutation is atomic:', () => {
  test('the error of a field rolls back the fields before it', async () => {
    const query = `mutation {
      insert_author_one(object: { name: "Cy" }) { id }
      delete_author(where: { name: { _eq: "Ann" } }) { affected_rows }
      insert_author(objects: [{ name: "Bo" }]) { affected_rows }
    }`;
    expect(await run(query)).toEqual(rejectedWith('constraint-violation', '$.selectionSet.insert_author.args.objects'));
    expect(await count('author')).toBe(2);
  });

  test('the error of a nested row rolls back its parent', async () => {
    const rows = [
      {
        name: 'Cy',
        articles: {
          data: [
            { title: 'x', id: 1 },
            { title: 'y', id: 1 },
          ],
        },
      },
    ];
    const query = 'mutation ($rows: [author_insert_input!]!) { insert_author(objects: $rows) { affected_rows } }';
    const path = '$.selectionSet.insert_author.args.objects[0].articles.data';
    expect(await run(query, { rows })).toEqual(rejectedWith('constraint-violation', path));
    expect(await count('author')).toBe(2);
  });

  test('invalid data is rejected before any statement', async () => {
    const query = `mutation {
      delete_author(where: {}) { affected_rows }
      insert_kinds_one(object: { id: 1, exact: "many" }) { id }
    }`;
    expect(await run(query)).toEqual(
      rejectedWith('data-exception', '$.selectionSet.insert_kinds_one.args.object.exact'),
    );
    expect(await count('author')).toBe(2);
  });

  test('the error of a deferred constraint rolls back the mutation', async () => {
    const query = 'mutation { a: insert_late(objects: [{ id: 1, author_id: 99 }]) { affected_rows } }';
    expect(await run(query)).toEqual(rejectedWith('constraint-violation', '$.selectionSet.insert_late.args.objects'));
    const two = `mutation {
      a: insert_late_one(object: { id: 1, author_id: 99 }) { id }
      b: insert_late_one(object: { id: 2, author_id: 1 }) { id }
    }`;
    expect(await run(two)).toEqual(rejectedWith('constraint-violation', '$'));
    expect(await count('late')).toBe(0);
  });
});

describe('an insert of many rows', () => {
  const query = 'mutation ($rows: [author_insert_input!]!) { insert_author(objects: $rows) { affected_rows } }';

  test('sends one statement for 10,000 objects', async () => {
    const rows = Array.from({ length: 10_000 }, (_, index) => ({ name: `n${index}`, visits: index }));
    const { body, statements } = await engine.execute({ query, variables: { rows } });
    expect(JSON.parse(body)).toEqual({ data: { insert_author: { affected_rows: 10_000 } } });
    expect(statements).toHaveLength(1);
  });

  test('sets absent columns of each object to their defaults, and null columns to null', async () => {
    const rows = Array.from({ length: 25_000 }, (_, index) => ({
      name: index === 0 ? null : `n${index}`,
      ...(index % 2 === 0 ? { visits: index } : { parent_id: null }),
    }));
    expect(await run(query, { rows })).toEqual({ data: { insert_author: { affected_rows: 25_000 } } });
    const { rows: sums } = await db.database.query({
      text: 'select count(*) filter (where visits = 7), count(*) filter (where name is null) from author',
      values: [],
    });
    expect(sums[0]).toEqual(['12502', '1']);
  });

  test('sends one statement for each level of nested rows and returns them in their order', async () => {
    const rows = Array.from({ length: 500 }, (_, index) => ({
      title: `t${index}`,
      author: { data: { name: `n${index}` } },
    }));
    const { body, statements } = await engine.execute({
      query: `mutation ($rows: [article_insert_input!]!) {
        insert_article(objects: $rows) { affected_rows returning { title author { name } } }
      }`,
      variables: { rows },
    });
    const returning = rows.map(({ title }, index) => ({ title, author: { name: `n${index}` } }));
    expect(JSON.parse(body)).toEqual({ data: { insert_article: { affected_rows: 1000, returning } } });
    expect(statements).toHaveLength(3);
  });

  test('sends the same statement text for any number of objects with the same columns', async () => {
    const one = await engine.execute({ query, variables: { rows: [{ name: 'Cy' }, { name: 'Di' }] } });
    const other = await engine.execute({ query, variables: { rows: [{ name: 'E' }, { name: 'F' }, { name: 'G' }] } });
    expect(other.statements[0]?.text).toBe(one.statements[0]?.text);
  });
});

test('nested inserts into the same table work at any depth', async () => {
  const query = `mutation {
    insert_author_one(object: { name: "c", parent: { data: { name: "b", parent: { data: { name: "a" } } } } }) {
      name parent { name parent { name parent { name } } }
    }
  }`;
  const parent = { name: 'b', parent: { name: 'a', parent: null } };
  expect(await run(query)).toEqual({ data: { insert_author_one: { name: 'c', parent } } });
});

test('returned rows are joined to other sources after the commit', async () => {
  const query = `mutation {
    update_author(where: {}, _inc: { visits: 1 }) { returning { name invoices { number } } }
    update_author_by_pk(pk_columns: { id: 2 }, _set: { parent_id: 1 }) { parent { name invoices { number } } }
  }`;
  const invoices = [{ number: 'i1' }];
  expect(await run(query)).toEqual({
    data: {
      update_author: {
        returning: [
          { name: 'Ann', invoices },
          { name: 'Bo', invoices: [] },
        ],
      },
      update_author_by_pk: { parent: { name: 'Ann', invoices } },
    },
  });
});

describe('a value', () => {
  const values = {
    big: '9223372036854775807',
    exact: '12345678901234567890.123456789',
    number: 0.1,
    flag: false,
    label: 'quote \' " \\ and \u{1F600}',
    fixed: 'ab ',
    bytes: '\\x00ff',
    at: '2024-02-29T12:00:00+00:00',
    span: '01:30:00',
    ident: '00000000-0000-4000-8000-000000000001',
    plain: { b: 1, a: [null, 1.5] },
    binary_json: ['x', { y: null }],
    moods: ['cross', 'calm'],
    feel: 'calm',
    words: ['a,b', '{"c"}', ''],
    docs: [{ a: 1 }, ['b']],
    range: '[1,5)',
    address: '10.0.0.1',
    brief: 'brief',
    limited: '12345',
  };
  const names = Object.keys(values).join(' ');

  test.each([1, 2])('of each type is returned unchanged from an insert of %s rows', async (many) => {
    const rows = Array.from({ length: many }, (_, id) => ({ id, ...values }));
    const { body } = await engine.execute({
      query: `mutation ($rows: [kinds_insert_input!]!) { insert_kinds(objects: $rows) { returning { ${names} } } }`,
      variables: { rows },
    });
    // These numbers are compared as text, because JSON.parse would round them.
    const { big, exact, ...rest } = values;
    const result = JSON.parse(body) as { data: { insert_kinds: { returning: unknown[] } } };
    expect(result.data.insert_kinds.returning).toEqual(rows.map(() => expect.objectContaining(rest)));
    expect(body).toContain(`"big":${big},`);
    expect(body).toContain(`"exact":${exact},`);
  });

  test('of an absent column is the default of its domain', async () => {
    expect(await run('mutation { insert_kinds(objects: [{ id: 1 }]) { returning { brief } } }')).toEqual({
      data: { insert_kinds: { returning: [{ brief: 'short' }] } },
    });
  });

  test.each([
    ['out of range', { exact: 1, big: '9223372036854775808' }, 'data-exception', ''],
    ['unknown to an enum', { feel: 'sad' }, 'data-exception', '.feel'],
    ['too long', { limited: '123456' }, 'data-exception', ''],
    ['rejected by a domain', { brief: '1234567890' }, 'permission-error', ''],
    ['with the character NUL', { label: 'a\0b' }, 'data-exception', '.label'],
    ['with half of a surrogate pair', { label: '\ud800' }, 'data-exception', '.label'],
  ])('is rejected if it is %s', async (_name, value, code, place) => {
    const query = 'mutation ($row: kinds_insert_input!) { insert_kinds_one(object: $row) { id } }';
    const path = place === '' ? '$.selectionSet.insert_kinds_one.args.object' : expect.stringContaining(place);
    expect(await run(query, { row: { id: 1, ...value } })).toEqual(rejectedWith(code, path as string));
  });

  test('can have a million characters', async () => {
    const label = 'ä'.repeat(1_000_000);
    const query = 'mutation ($label: String) { insert_kinds_one(object: { id: 1, label: $label }) { label } }';
    expect(await run(query, { label })).toEqual({ data: { insert_kinds_one: { label } } });
  });
});

test('one of two mutations in a deadlock fails with concurrent-update', async () => {
  const query = `mutation ($first: Int!, $second: Int!) {
    a: update_author_by_pk(pk_columns: { id: $first }, _inc: { visits: 1 }) { id }
    slow: update_author(where: { name: { _eq: "unknown" } }, _inc: { visits: 1 }) { affected_rows }
    b: update_author_by_pk(pk_columns: { id: $second }, _inc: { visits: 1 }) { id }
  }`;
  // Before each of its statements a transaction waits until the other has come as far.
  const text = `create function wait() returns trigger language plpgsql as $$
      declare stage int := coalesce(nullif(current_setting('test.stage', true), '')::int, 1);
      begin
        perform set_config('test.stage', (stage + 1)::text, true), pg_advisory_xact_lock_shared(stage);
        while (select count(*) from pg_locks l join pg_database d on d.oid = l.database
            where d.datname = current_database() and l.locktype = 'advisory' and l.objid = stage) < 2 loop
          perform pg_sleep(0.01);
        end loop;
        return null;
      end $$;
    create trigger wait before update on author for each statement execute function wait()`;
  await db.database.query({ text, values: [] });
  const [one, other] = await Promise.all([run(query, { first: 1, second: 2 }), run(query, { first: 2, second: 1 })]);
  await db.database.query({ text: 'drop trigger wait on author; drop function wait()', values: [] });
  const failed = [one, other].filter((result) => JSON.stringify(result).includes('errors'));
  expect(failed).toEqual([rejectedWith('concurrent-update', '$.selectionSet.update_author_by_pk')]);
});

test('an upsert with two objects for the same row is rejected', async () => {
  const query = `mutation {
    insert_author(
      objects: [{ name: "Ann" }, { name: "Ann" }],
      on_conflict: { constraint: author_name_key, update_columns: [visits] }
    ) { affected_rows }
  }`;
  expect(await run(query)).toEqual(rejectedWith('data-exception', '$.selectionSet.insert_author.args.objects'));
});

test('a backend-only permission requires the admin secret and the header', async () => {
  const service = await startService({ JOINERY_ADMIN_SECRET: 'secret', JOINERY_UNAUTHORIZED_ROLE: 'robot' });
  await service.database.database.query({ text: 'create table note (id serial primary key, body text)', values: [] });
  const admin = { 'x-service-admin-secret': 'secret' };
  const command = async (type: string, args: unknown) => service.post('/v1/query', { type, args }, admin);
  await command('track_table', 'note');
  const permission = { check: {}, columns: ['body'], backend_only: true };
  const granted = await command('create_insert_permission', { table: 'note', role: 'robot', permission });
  expect(granted.status).toBe(200);
  const query = 'mutation { insert_note(objects: [{ body: "x" }]) { affected_rows } }';
  const backend = { 'x-service-use-backend-only-permissions': 'true' };
  const robot = { ...admin, 'x-service-role': 'robot' };
  const inserted = { data: { insert_note: { affected_rows: 1 } } };
  expect(await service.graphql(query, { ...robot, ...backend })).toEqual(inserted);
  expect(await service.graphql(query, robot)).toHaveProperty('errors');
  expect(await service.graphql(query, backend)).toHaveProperty('errors');
  await service.stop();
});
