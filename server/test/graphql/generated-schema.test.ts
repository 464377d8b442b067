/** Rules of the generated schema that generated clients of Hasura v2 depend on: names, types, and who sees which field. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';
import { type Engine, type EngineRequest, startEngine } from '../support/service/engine.ts';
import { startService } from '../support/service/test-service.ts';

const sql = `
  create domain email as text check (value like '%@%');
  create table team (id int primary key, title text not null);
  create table person (
    id int primary key, name text, mail email, team_id int not null references team, tags text[], price money,
    key uuid default gen_random_uuid(), notes json, unique (name)
  );
  create unique index person_mail on person (mail);
  create table bare (name text);
  create table slot (id int primary key, place int unique deferrable, name text not null);
  insert into slot values (1, 1, 'one'), (2, 2, 'two');
  insert into team values (1, 'red'), (2, 'blue');
  insert into person (id, name, mail, team_id, tags, price, key, notes) values
    (1, 'Ann', 'ann@example.com', 1, '{a,b}', 10, '00000000-0000-0000-0000-00000000000a', '{"rank": 2}'),
    (2, 'Bo', 'bo@example.com', 1, '{b}', 20, 'b0000000-0000-0000-0000-000000000000', '{"rank": 10}'),
    (3, 'Cy', null, 2, null, 30, null, null);
  create function tagged(wanted text[], int default 0, int default 100) returns setof person stable language sql
    as $$ select * from person where tags && wanted and id between $2 and $3 $$;
  create function with_keys(keys uuid[]) returns setof person stable language sql
    as $$ select * from person where key = any (keys) $$;
  create function add_team(title text) returns setof team volatile language sql
    as $$ insert into team values ((select max(id) + 1 from team), title) returning * $$;
  create function members(team) returns setof person stable language sql
    as $$ select * from person where team_id = $1.id $$;
  create function members_like(team, pattern text) returns setof person stable language sql
    as $$ select * from person where team_id = $1.id and name like pattern $$;
  create function name_length(person) returns int stable language sql as $$ select length($1.name) $$;
  create function name_times(person, factor int) returns int stable language sql
    as $$ select length($1.name) * factor $$;
`;

const computed = (name: string) => ({ name, definition: { function: name } });

const metadata = {
  sources: [
    {
      name: 'default',
      tables: [
        {
          table: 'team',
          configuration: {
            custom_root_fields: {
              select: { name: 'teams', comment: 'all teams' },
              insert: { comment: 'creates teams' },
              delete: { comment: '' },
              select_aggregate: 'teams_count',
            },
          },
          array_relationships: [
            { name: 'people', using: { foreign_key_constraint_on: { table: 'person', column: 'team_id' } } },
          ],
          computed_fields: [computed('members'), computed('members_like')],
          select_permissions: [
            { role: 'member', permission: { columns: ['id', 'title'], filter: { id: { _lt: 2 } } } },
          ],
          insert_permissions: [{ role: 'member', permission: { columns: ['id', 'title'], check: {} } }],
        },
        {
          table: 'person',
          object_relationships: [{ name: 'team', using: { foreign_key_constraint_on: 'team_id' } }],
          computed_fields: [computed('name_length'), computed('name_times')],
          select_permissions: [
            {
              role: 'member',
              permission: {
                columns: ['id', 'name', 'team_id'],
                computed_fields: ['name_length'],
                filter: { name: { _neq: 'Bo' } },
              },
            },
          ],
        },
        {
          table: 'bare',
          insert_permissions: [{ role: 'member', permission: { columns: '*', check: {} } }],
        },
        {
          table: 'slot',
          select_permissions: [
            { role: 'member', permission: { columns: ['id', 'name'], filter: {} } },
            { role: 'guest', permission: { columns: ['id'], filter: {} } },
          ],
          update_permissions: [{ role: 'member', permission: { columns: [], filter: {} } }],
        },
      ],
      functions: [
        { function: 'tagged' },
        { function: 'with_keys' },
        { function: 'add_team', configuration: { exposed_as: 'mutation' } },
      ],
    },
  ],
  inherited_roles: [{ role_name: 'both', role_set: ['member', 'guest'] }],
};

let db: TestDatabase;
let engine: Engine;
beforeAll(async () => {
  db = await testDatabase({ sql });
  engine = await startEngine({ metadata, databases: { default: db.database } });
  expect(engine.inconsistencies).toEqual([]);
});
afterAll(async () => {
  await engine?.close();
  await db?.drop();
});

async function run(query: string, more: Partial<EngineRequest> = {}): Promise<unknown> {
  return JSON.parse((await engine.execute({ query, ...more })).body);
}

interface Member {
  readonly name: string;
  readonly description: string | null;
  readonly type?: unknown;
  readonly args?: readonly Member[];
}

/** The members of a type, such as `name: String!`; undefined without the type. */
async function members(type: string, role = 'admin'): Promise<readonly string[] | undefined> {
  const found = await describedMembers(type, role);
  return found?.map(({ name, type: written }) => (written === undefined ? name : `${name}: ${typeText(written)}`));
}

async function describedMembers(type: string, role = 'admin'): Promise<readonly Member[] | undefined> {
  const ofType = 'kind name ofType { kind name ofType { kind name ofType { kind name } } }';
  const query = `query ($type: String!) { __type(name: $type) {
    fields { name description type { ${ofType} } args { name description type { ${ofType} } } }
    inputFields { name description type { ${ofType} } }
    enumValues { name description }
  } }`;
  const { data } = (await run(query, { variables: { type }, role })) as {
    data: { __type: { fields: Member[] | null; inputFields: Member[] | null; enumValues: Member[] | null } | null };
  };
  return data.__type?.fields ?? data.__type?.inputFields ?? data.__type?.enumValues ?? undefined;
}

interface TypeReference {
  readonly kind: string;
  readonly name: string | null;
  readonly ofType: TypeReference | null;
}

function typeText(written: unknown): string {
  const { kind, name, ofType } = written as TypeReference;
  if (kind === 'NON_NULL') return `${typeText(ofType)}!`;
  return kind === 'LIST' ? `[${typeText(ofType)}]` : String(name);
}

test.each([
  [
    'an upsert without update permission has a placeholder as its only column',
    'member',
    'team_update_column',
    ['_PLACEHOLDER'],
  ],
  ['constraints are listed without unique indexes', 'admin', 'person_constraint', ['person_name_key', 'person_pkey']],
  ['a table without a key has no upsert', 'member', 'bare_on_conflict', undefined],
  [
    'array arguments have the scalar of the array type, and unnamed arguments are counted',
    'admin',
    'tagged_args',
    ['wanted: _text', 'arg_1: Int', 'arg_2: Int'],
  ],
  ['array arguments of other types have their scalars', 'admin', 'with_keys_args', ['keys: _uuid']],
  ['arguments of a computed field do not count its row', 'admin', 'name_times_person_args', ['factor: Int']],
  ['money can be incremented', 'admin', 'person_inc_input', ['id: Int', 'price: money', 'team_id: Int']],
  [
    'scalar computed fields are aggregated',
    'admin',
    'person_sum_fields',
    ['id: Int', 'name_length: Int', 'name_times: Int', 'price: money', 'team_id: Int'],
  ],
  ['a role that may not aggregate has no aggregates', 'member', 'person_sum_fields', undefined],
  ['constraints are listed without deferrable ones', 'admin', 'slot_constraint', ['slot_pkey']],
  ['an update without columns has a condition alone', 'member', 'slot_updates', ['where: slot_bool_exp!']],
  ['a column that all parents of a role grant keeps its type', 'member', 'slot', ['id: Int!', 'name: String!']],
  ['a column that some parents of a role grant is nullable', 'both', 'slot', ['id: Int!', 'name: String']],
])('%s', async (_rule, role, type, expected) => {
  const found = await members(type, role);
  expect(found && [...found].sort()).toEqual(expected && [...expected].sort());
});

test('an update without operators runs no SQL and affects no row', async () => {
  const updated = { affected_rows: 0, returning: [] };
  const query = `mutation {
    update_slot(where: {}) { affected_rows returning { id } }
    update_slot_by_pk(pk_columns: {id: 1}) { id }
    update_slot_many(updates: [{where: {}}]) { affected_rows returning { id } }
  }`;
  const data = { update_slot: updated, update_slot_by_pk: null, update_slot_many: [updated] };
  expect(await run(query, { role: 'member' })).toEqual({ data });
  expect(await run(query)).toEqual({ data });
});

test('the object of a foreign key that is not null is non-null, also where a row rule may hide it', async () => {
  expect(await members('person', 'member')).toContain('team: team!');
  expect(await run('{ person(order_by: {id: asc}) { id team { title } } }', { role: 'member' })).toEqual({
    data: {
      person: [
        { id: 1, team: { title: 'red' } },
        { id: 3, team: null },
      ],
    },
  });
});

test('a column of a domain has the scalar of the domain and the operators of its base type', async () => {
  expect(await members('person')).toContain('mail: email');
  expect(await members('email_comparison_exp')).toEqual(expect.arrayContaining(['_eq: email', '_like: email']));
  const query = 'query ($mail: email!) { person(where: {mail: {_eq: $mail, _like: "%@%"}}) { id mail } }';
  expect(await run(query, { variables: { mail: 'bo@example.com' } })).toEqual({
    data: { person: [{ id: 2, mail: 'bo@example.com' }] },
  });
});

describe('an upsert of a role without update permission', () => {
  const upsert = (columns: string) =>
    run(
      `mutation { insert_team_one(object: {id: 1, title: "new"}, on_conflict: {constraint: team_pkey${columns}}) { id } }`,
      { role: 'member' },
    );

  test('skips rows that exist', async () => {
    for (const columns of ['', ', update_columns: []', ', update_columns: [], where: {title: {_eq: "red"}}']) {
      expect(await upsert(columns)).toEqual({ data: { insert_team_one: null } });
    }
  });

  test('rejects the placeholder', async () => {
    expect(await upsert(', update_columns: [_PLACEHOLDER]')).toMatchObject({
      errors: [
        {
          message: expect.stringContaining('erroneous column name'),
          extensions: { code: 'validation-failed', path: expect.stringContaining('on_conflict.update_columns') },
        },
      ],
    });
  });
});

describe('an array argument of a function', () => {
  test.each([
    ['the text of an array', 'tagged(args: {wanted: "{a,c}"}) { id }', {}],
    ['a list', 'tagged(args: {wanted: ["a", "c"]}) { id }', {}],
    ['a variable with a list', 'tagged(args: {wanted: $tags}) { id }', { tags: ['a', 'c'] }],
    ['a variable with the text of an array', 'tagged(args: {wanted: $tags}) { id }', { tags: '{a,c}' }],
    ['a list with unnamed arguments after it', 'tagged(args: {wanted: ["b"], arg_1: 1, arg_2: 1}) { id }', {}],
  ])('is %s', async (_form, field, variables) => {
    const query = 'tags' in variables ? `query ($tags: _text) { ${field} }` : `{ ${field} }`;
    expect(await run(query, { variables })).toEqual({ data: { tagged: [{ id: 1 }] } });
  });

  test('is a variable within a list', async () => {
    const query = 'query ($tag: String) { tagged(args: {wanted: ["c", $tag]}) { id } }';
    expect(await run(query, { variables: { tag: 'a' } })).toEqual({ data: { tagged: [{ id: 1 }] } });
  });

  test('that is no array is rejected', async () => {
    expect(await run('{ tagged(args: {wanted: "a"}) { id } }')).toMatchObject({
      errors: [{ extensions: { code: 'data-exception', path: '$.selectionSet.tagged.args.args.wanted' } }],
    });
    expect(await run('{ tagged(args: {wanted: 5}) { id } }')).toMatchObject({
      errors: [{ extensions: { code: 'parse-failed' } }],
    });
  });
});

describe('a computed field that returns rows', () => {
  test('is a condition, with the row rule of its table', async () => {
    const query = '{ teams(where: {members: {name: {_eq: "Bo"}}}) { id } }';
    expect(await run(query)).toEqual({ data: { teams: [{ id: 1 }] } });
    expect(await run(query, { role: 'member' })).toEqual({ data: { teams: [] } });
  });

  test('is an aggregate to order by, with the row rule of its table', async () => {
    const query = '{ teams(order_by: [{members_aggregate: {count: asc}}, {id: asc}]) { id } }';
    expect(await run(query)).toEqual({ data: { teams: [{ id: 2 }, { id: 1 }] } });
    const maximum = '{ teams(order_by: {members_aggregate: {max: {id: desc}}}, limit: 1) { id people { id } } }';
    expect(await run(maximum)).toEqual({ data: { teams: [{ id: 2, people: [{ id: 3 }] }] } });
    expect(await run(maximum, { role: 'member' })).toEqual({ data: { teams: [{ id: 1, people: [{ id: 1 }] }] } });
  });

  test('that needs arguments is neither', async () => {
    expect(await members('team_bool_exp')).not.toContainEqual(expect.stringContaining('members_like'));
    expect(await members('team_order_by')).not.toContainEqual(expect.stringContaining('members_like'));
  });
});

test('a scalar computed field is aggregated, with its arguments, also over a page', async () => {
  const query = `{
    all: person_aggregate { aggregate { sum { name_length name_times(args: {factor: 10}) } avg { name_length } } }
    page: person_aggregate(order_by: {id: asc}, limit: 1) { aggregate { max { name_length } } nodes { id } }
  }`;
  expect(await run(query)).toEqual({
    data: {
      all: { aggregate: { sum: { name_length: 7, name_times: 70 }, avg: { name_length: 2.3333333333333335 } } },
      page: { aggregate: { max: { name_length: 3 } }, nodes: [{ id: 1 }] },
    },
  });
});

test('a role orders by aggregates of the rows that it sees, without the permission to aggregate', async () => {
  const query = '{ teams(order_by: {people_aggregate: {count: desc}}) { id } }';
  expect(await run(query, { role: 'member' })).toEqual({ data: { teams: [{ id: 1 }] } });
  expect(await members('team', 'member')).not.toContainEqual(expect.stringContaining('people_aggregate'));
});

test('max and min take uuid', async () => {
  expect(await run('{ person_aggregate { aggregate { max { key } min { key } } } }')).toEqual({
    data: {
      person_aggregate: {
        aggregate: {
          max: { key: 'b0000000-0000-0000-0000-000000000000' },
          min: { key: '00000000-0000-0000-0000-00000000000a' },
        },
      },
    },
  });
  expect(await run('{ teams(order_by: {people_aggregate: {max: {key: desc_nulls_last}}}) { id } }')).toEqual({
    data: { teams: [{ id: 1 }, { id: 2 }] },
  });
});

test('rows are ordered by json, and distinct in it, and its distinct values are counted', async () => {
  const count = 'people_aggregate: {count: {arguments: notes, distinct: true, predicate: {_eq: 2}}}';
  expect(await run(`{ teams(where: {${count}}) { id } }`)).toEqual({ data: { teams: [{ id: 1 }] } });
  const counted = await run('{ person_aggregate { aggregate { count(columns: notes, distinct: true) } } }');
  expect(counted).toEqual({ data: { person_aggregate: { aggregate: { count: 2 } } } });
  expect(await run('{ person(order_by: {notes: desc_nulls_last}) { id } }')).toEqual({
    data: { person: [{ id: 2 }, { id: 1 }, { id: 3 }] },
  });
  expect(await run('{ person(distinct_on: notes, order_by: {notes: asc}) { id team { id } } }')).toEqual({
    data: {
      person: [
        { id: 1, team: { id: 1 } },
        { id: 2, team: { id: 1 } },
        { id: 3, team: { id: 2 } },
      ],
    },
  });
});

test('comments of root fields replace their descriptions, and an empty one removes it', async () => {
  const descriptions = async (root: string) =>
    new Map((await describedMembers(root))?.map(({ name, description }) => [name, description]));
  const query = await descriptions('query_root');
  expect(query.get('teams')).toBe('all teams');
  expect(query.get('teams_count')).toBe('fetch aggregated fields from the table: "team"');
  const mutation = await descriptions('mutation_root');
  expect(mutation.get('insert_team')).toBe('creates teams');
  expect(mutation.get('delete_team')).toBeNull();
});

test('functions that are queries are fields of subscriptions, those that are mutations have no aggregate', async () => {
  const names = async (root: string) => (await describedMembers(root))?.map(({ name }) => name);
  expect(await names('subscription_root')).toEqual(expect.arrayContaining(['tagged', 'tagged_aggregate']));
  expect(await names('mutation_root')).toContain('add_team');
  expect(await names('mutation_root')).not.toContain('add_team_aggregate');
});

test('with JOINERY_STRICT_NULLABILITY an object that a row rule may hide is nullable', async () => {
  const service = await startService({ JOINERY_STRICT_NULLABILITY: 'true' }, { sql });
  for (const table of ['team', 'person']) await service.command('track_table', table);
  await service.command('create_object_relationship', {
    table: 'person',
    name: 'team',
    using: { foreign_key_constraint_on: 'team_id' },
  });
  for (const [role, filter] of [
    ['restricted', { id: { _lt: 2 } }],
    ['reader', {}],
  ] as const) {
    await service.command('create_select_permission', { table: 'team', role, permission: { columns: '*', filter } });
    await service.command('create_select_permission', {
      table: 'person',
      role,
      permission: { columns: '*', filter: {} },
    });
  }
  const query = '{ __type(name: "person") { fields { name type { kind } } } }';
  const kindFor = async (role: string) => {
    const { data } = (await service.graphql(query, { 'x-service-role': role })) as {
      data: { __type: { fields: { name: string; type: { kind: string } }[] } };
    };
    return data.__type.fields.find(({ name }) => name === 'team')?.type.kind;
  };
  expect([await kindFor('restricted'), await kindFor('reader')]).toEqual(['OBJECT', 'NON_NULL']);
  await service.stop();
});
