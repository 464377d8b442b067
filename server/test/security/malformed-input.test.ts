/** Malformed and long input over HTTP: it is rejected with a code and a path, and the service continues to respond. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { TestService } from '../support/service/test-service.ts';
import { until } from '../support/until.ts';
import { errorOf, expectUnchanged, type Failure, inputService } from './input-service.ts';

let service: TestService;
beforeAll(async () => {
  service = await inputService({});
});
afterAll(() => service?.stop());
afterEach(() => expectUnchanged(service));

const errorFor = (query: string, variables?: unknown) => errorOf(service, query, variables);

const million = 'x'.repeat(1_000_000);

describe('a million characters', () => {
  test('are accepted as a string in the document', async () => {
    const query = `{ kinds_aggregate(where: { label: { _neq: "${million}" } }) { aggregate { count } } }`;
    expect(await service.graphql(query)).toEqual({ data: { kinds_aggregate: { aggregate: { count: 0 } } } });
  });

  test.each([
    ['a field', `{ ${million} }`, /^\$\.selectionSet\.x+$/],
    ['an alias', `{ ${million}: nosuch }`, /^\$\.selectionSet\.nosuch$/],
    ['a variable', `query ($${million}: Int) { parent { id } nosuch }`, /^\$\.selectionSet\.nosuch$/],
    ['a type', `query ($a: ${million}) { parent { id } }`, /^\$$/],
    [
      'an enum value',
      `{ parent(order_by: { id: ${million} }) { id } }`,
      /^\$\.selectionSet\.parent\.args\.order_by\.id$/,
    ],
    ['spaces and a brace', `${' '.repeat(1_000_000)}{`, /^\$\.query$/],
    [
      'a number',
      `{ parent(where: { id: { _eq: ${'9'.repeat(1_000_000)} } }) { id } }`,
      /^\$\.selectionSet\.parent\.args\.where\.id\._eq$/,
    ],
    ['braces', '{'.repeat(1_000_000), /^\$\.query$/],
    ['brackets of a list', `{ parent(where: ${'['.repeat(1_000_000)}`, /^\$$/],
  ])('are rejected as %s', async (name, query, path) => {
    const code = name === 'a number' ? 'parse-failed' : 'validation-failed';
    expect(await errorFor(query)).toEqual([code, expect.stringMatching(path)]);
  });

  test('are rejected as the value of a column of five characters', async () => {
    const query = 'mutation ($rows: [kinds_insert_input!]!) { insert_kinds(objects: $rows) { affected_rows } }';
    const rows = [
      { id: 1, brief: 'short' },
      { id: 2, brief: million },
    ];
    expect(await errorFor(query, { rows })).toEqual(['data-exception', '$.selectionSet.insert_kinds.args.objects']);
  });
});

describe('text that PostgreSQL cannot store', () => {
  const query = 'mutation ($row: kinds_insert_input!) { insert_kinds_one(object: $row) { id } }';
  const path = '$.selectionSet.insert_kinds_one.args.object';

  test.each([
    ['NUL in text', { label: 'a\0' }, '$.variables.row.label'],
    ['NUL in jsonb', { docs: ['\0'] }, path],
    ['NUL in the name of a jsonb member', { docs: { 'a\0': 1 } }, path],
    ['half a surrogate pair in text', { label: '\udc00' }, '$.variables.row.label'],
    ['half a surrogate pair in jsonb', { docs: { a: '\ud800' } }, path],
    ['NUL in an enum', { feel: 'calm\0' }, `${path}.feel`],
    ['NUL in a uuid', { ident: '\0' }, '$.variables.row.ident'],
  ])('rejects %s', async (_name, value, expected) => {
    expect(await errorFor(query, { row: { id: 1, ...value } })).toEqual(['data-exception', expected]);
  });

  test('accepts NUL in json, which stores the escape', async () => {
    const insertAndDelete =
      'mutation ($d: json) { insert_kinds_one(object: { id: 1, plain: $d }) { plain } delete_kinds(where: {}) { affected_rows } }';
    expect(await service.graphql(insertAndDelete, {}, { d: { a: '\0' } })).toEqual({
      data: { insert_kinds_one: { plain: { a: '\0' } }, delete_kinds: { affected_rows: 1 } },
    });
  });

  test.each([
    [
      'NUL in a condition',
      '{ parent(where: { name: { _eq: "\\u0000" } }) { id } }',
      'data-exception',
      '$.selectionSet.parent.args.where.name._eq',
    ],
    [
      'half a surrogate pair in a pattern',
      '{ parent(where: { name: { _like: "\\ud800" } }) { id } }',
      'validation-failed',
      '$.query',
    ],
    [
      'NUL in a list',
      '{ parent(where: { name: { _in: ["a", "\\u0000"] } }) { id } }',
      'data-exception',
      '$.selectionSet.parent.args.where.name._in[1]',
    ],
  ])('rejects %s', async (_name, text, ...expected) => {
    expect(await errorFor(text)).toEqual(expected);
  });

  test('treats an escaped NUL in a role as a part of its name', async () => {
    const { body } = await service.post('/v1/graphql', { query: '{ parent { id } }' }, { 'x-service-role': 'a%00' });
    const { extensions } = (body as Failure).errors?.[0] ?? {};
    expect(extensions).toMatchObject({ code: 'validation-failed', path: '$.selectionSet.parent' });
  });
});

describe('JSON with duplicate or special members', () => {
  test('the last of duplicate members is used', async () => {
    const { body } = await service.post(
      '/v1/graphql',
      '{"query":"{ nosuch }","query":"query ($i: Int!) { parent_by_pk(id: $i) { id } }","variables":{"i":9,"i":1}}',
    );
    expect(body).toEqual({ data: { parent_by_pk: { id: 1 } } });
  });

  test('a duplicate member of a literal is rejected', async () => {
    expect(await errorFor('{ parent(where: { id: { _eq: 1, _eq: 2 } }) { id } }')).toEqual([
      'validation-failed',
      '$.selectionSet.parent.args.where.id._eq',
    ]);
  });

  test.each([
    ['{"__proto__":{"id":{"_eq":1}}}', '__proto__'],
    ['{"constructor":{"_eq":1}}', 'constructor'],
    ['{"id":{"__proto__":1}}', 'id.__proto__'],
    ['{"id":{"toString":1}}', 'id.toString'],
    ['{"_and":{"__proto__":[]}}', '_and.__proto__'],
  ])('rejects the condition %s', async (where, path) => {
    const body = `{"query":"query ($w: parent_bool_exp) { parent(where: $w) { id } }","variables":{"w":${where}}}`;
    const { body: response } = await service.post('/v1/graphql', body);
    expect(response).toEqual({
      errors: [
        {
          message: expect.any(String),
          extensions: expect.objectContaining({ code: 'validation-failed', path: `$.variables.w.${path}` }),
        },
      ],
    });
  });

  test('__proto__ is stored as a member of jsonb', async () => {
    const query =
      'mutation ($d: jsonb) { insert_kinds_one(object: { id: 1, docs: $d }) { docs } delete_kinds(where: {}) { affected_rows } }';
    const text = await fetch(`${service.url}/v1/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: `{"query":${JSON.stringify(query)},"variables":{"d":{"__proto__":{"a":1},"constructor":2}}}`,
    });
    expect(await text.text()).toContain('"docs":{"__proto__": {"a": 1}, "constructor": 2}');
  });

  test('a variable with the name __proto__ is rejected', async () => {
    expect(await errorFor('query ($__proto__: Int!) { parent_by_pk(id: $__proto__) { id } }')).toEqual([
      'validation-failed',
      '$.query',
    ]);
  });

  test.each(['constructor', 'toString', 'hasOwnProperty'])('a variable may have the name %s', async (name) => {
    const query = `query ($${name}: Int!) { parent_by_pk(id: $${name}) { id } }`;
    const { body } = await service.post('/v1/graphql', `{"query":"${query}","variables":{"${name}":2}}`);
    expect(body).toEqual({ data: { parent_by_pk: { id: 2 } } });
    expect(await errorFor(query)).toEqual(['validation-failed', `$.variables.${name}`]);
  });

  test.each([
    ['', 'invalid-json', '$'],
    ['7', 'parse-failed', '$'],
    ['null', 'parse-failed', '$'],
    ['"x"', 'parse-failed', '$'],
    ['{"query":7}', 'parse-failed', '$.query'],
    ['{"query":"{a}","variables":[]}', 'parse-failed', '$.variables'],
    ['{', 'invalid-json', '$'],
    ['{"query":', 'invalid-json', '$'],
    ['\0', 'invalid-json', '$'],
    ['[null]', 'parse-failed', '$'],
    ['[[]]', 'parse-failed', '$'],
  ])('rejects the body %j with %s', async (sent, code, path) => {
    const { body } = await service.post('/v1/graphql', sent);
    expect(body).toEqual({ errors: [{ message: expect.any(String), extensions: { code, path } }] });
  });

  test('responds to an empty batch with an empty list', async () => {
    expect((await service.post('/v1/graphql', '[]')).body).toEqual([]);
  });
});

describe('a number beyond its range', () => {
  const write = (member: string, literal: string) =>
    service.post(
      '/v1/graphql',
      `{"query":"mutation ($v: kinds_insert_input!) { insert_kinds_one(object: $v) { ${member} } delete_kinds(where: {}) { affected_rows } }",
        "variables":{"v":{"id":1,"${member}":${literal}}}}`,
    );

  const digits = `1${'0'.repeat(5_000)}`;
  test.each([
    ['small', '32768', 'parse-failed'],
    ['whole', '2147483648', 'parse-failed'],
    ['whole', '1e400', 'parse-failed'],
    ['whole', digits, 'parse-failed'],
    ['big', '9223372036854775808', 'parse-failed'],
    ['big', digits, 'parse-failed'],
    ['big', '1e400', 'parse-failed'],
    ['number', '1e400', 'data-exception'],
    ['number', digits, 'data-exception'],
    ['exact', '1e200000', 'data-exception'],
  ])('is rejected for the column %s', async (member, literal, code) => {
    const { body } = await write(member, literal);
    const { errors } = body as Failure;
    // Integers are checked before the statement runs. PostgreSQL checks the other types, and does not name the column.
    const path = code === 'parse-failed' ? `$.variables.v.${member}` : '$.selectionSet.insert_kinds_one.args.object';
    expect(errors?.[0]?.extensions).toMatchObject({ code, path });
    expect(errors?.[0]?.message.length).toBeLessThan(10_100);
  });

  test('is no error for numeric, which stores 5,000 digits', async () => {
    const query =
      'mutation ($v: numeric) { insert_kinds_one(object: { id: 1, exact: $v }) { exact } delete_kinds(where: {}) { affected_rows } }';
    const response = await fetch(`${service.url}/v1/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: `{"query":"${query}","variables":{"v":${digits}}}`,
    });
    expect(await response.text()).toContain(`"exact":${digits}}`);
  });

  test.each([
    ['1e400', 'validation-failed'],
    [digits, 'parse-failed'],
    ['-1e400', 'validation-failed'],
  ])('is rejected as a limit', async (literal, code) => {
    expect(await errorFor(`{ parent(limit: ${literal}) { id } }`)).toEqual([code, '$.selectionSet.parent.args.limit']);
  });
});

describe('an error of the database', () => {
  test.each([
    [
      'a unique key',
      'insert_parent(objects: [{ id: 3, name: "a" }])',
      'constraint-violation',
      'insert_parent.args.objects',
    ],
    ['a primary key', 'insert_parent(objects: [{ id: 1 }])', 'constraint-violation', 'insert_parent.args.objects'],
    [
      'a foreign key',
      'insert_child(objects: [{ id: 3, parent_id: 9 }])',
      'constraint-violation',
      'insert_child.args.objects',
    ],
    ['a foreign key with on delete restrict', 'delete_parent(where: {})', 'constraint-violation', 'delete_parent'],
    ['a deferred foreign key', 'insert_late(objects: [{ id: 1, parent_id: 9 }])', 'constraint-violation', undefined],
    [
      'a missing value',
      'insert_parent(objects: [{ id: 3, code: null }])',
      'constraint-violation',
      'insert_parent.args.objects',
    ],
    [
      'an exclusion constraint',
      'insert_child(objects: [{ id: 3, during: "[2,3)" }])',
      'constraint-violation',
      'insert_child.args.objects',
    ],
    [
      'a check constraint',
      'insert_parent(objects: [{ id: 3, size: 0 }])',
      'permission-error',
      'insert_parent.args.objects',
    ],
    [
      'a check constraint in an update',
      'update_parent(where: {}, _set: { size: 0 })',
      'permission-error',
      'update_parent',
    ],
    [
      'a unique key in an update',
      'update_parent(where: {}, _set: { name: "z" })',
      'constraint-violation',
      'update_parent',
    ],
    ['a sum out of range', 'update_parent(where: {}, _inc: { size: 2147483647 })', 'data-exception', 'update_parent'],
  ])('for %s gets a code and the path of the field', async (_name, field, code, errorPath) => {
    const query = `mutation { first: update_parent(where: {}, _inc: { size: 5 }) { affected_rows } ${field} { affected_rows } }`;
    // The error of a deferred constraint belongs to no single field.
    const path = errorPath === undefined ? '$' : `$.selectionSet.${errorPath}`;
    expect(await errorFor(query)).toEqual([code, path]);
  });

  test('for a statement over the statement timeout has the code timeout', async () => {
    expect(await errorFor('{ slow { nap } }')).toEqual(['timeout', '$.selectionSet.slow']);
  });

  test('for a serialization failure has the code concurrent-update', async () => {
    // Not the statement timeout of the other tests: the first change waits for the second.
    const patient = await inputService({ JOINERY_STATEMENT_TIMEOUT: '60000' });
    const { database, url } = patient.database;
    const info = { connection_info: { database_url: url, isolation_level: 'serializable' } };
    await patient.command('pg_add_source', {
      name: 'strict',
      configuration: info,
      customization: { root_fields: { prefix: 's_' }, type_names: { prefix: 's_' } },
    });
    await patient.command('pg_track_table', { source: 'strict', table: 'parent' });
    const change = () =>
      patient.graphql(`mutation {
        a: s_update_parent(where: { size: { _gt: 100 } }, _set: { name: "never" }) { affected_rows }
        b: s_update_parent_by_pk(pk_columns: { id: 1 }, _set: { name: "changed" }) { id }
      }`);
    const changes = await database.transaction(async (query) => {
      await query({ text: 'select id from parent where id = 1 for update', values: [] });
      const sent = [change(), change()];
      // Both have their snapshot when they wait for the row.
      const waiting = `select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      await until('both changes wait', async () => {
        // On another connection: a transaction reads this view once.
        return (await database.query({ text: waiting, values: [] })).rows[0]?.[0] === '2';
      });
      return sent;
    });
    const responses = (await Promise.all(changes)) as Failure[];
    await patient.stop();
    const codes = responses.map(({ errors }) => errors?.[0]?.extensions.code);
    expect(codes.toSorted()).toEqual(['concurrent-update', undefined]);
  });
});
