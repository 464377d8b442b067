/** Queries and mutations of a customer, a support employee and an editor on Chinook, compared with SQL. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chinook, type TestDatabase } from '../support/database/test-database.ts';
import { type Engine, type EngineRequest, startEngine } from '../support/service/engine.ts';
import { chinookMetadata, chinookTables } from './chinook-metadata.ts';

/** Undefined if the file of the Chinook database does not exist. The tests then compare nothing. */
let db: TestDatabase | undefined;
let engine: Engine;
beforeAll(async () => {
  db = await chinook();
  if (db === undefined) return;
  engine = await startEngine({ metadata: chinookMetadata, databases: { default: db.database } });
  expect(engine.inconsistencies).toEqual([]);
});
afterAll(async () => {
  await engine?.close();
  await db?.drop();
});

type Caller = Pick<EngineRequest, 'role' | 'session'>;
const customer = (id: number): Caller => ({ role: 'customer', session: { 'x-service-customer-id': String(id) } });
const support = (id: number): Caller => ({ role: 'support', session: { 'x-service-employee-id': String(id) } });
const editor: Caller = { role: 'editor' };

async function request(caller: Caller, query: string, variables?: EngineRequest['variables']): Promise<unknown> {
  return JSON.parse((await engine.execute({ ...caller, query, variables })).body);
}

/** Returns the JSON value of an SQL statement with one row and one column. */
async function selectJson(text: string): Promise<unknown> {
  const { rows } = (await db?.database.query({ text, values: [] })) ?? { rows: [] };
  return JSON.parse(rows[0]?.[0] ?? 'null');
}

/** Asserts that the field `rows` of the response equals the JSON value of the SQL statement. */
async function expectSameRows(
  caller: Caller,
  query: string,
  text: string,
  variables?: EngineRequest['variables'],
): Promise<void> {
  if (db === undefined) return;
  expect(await request(caller, query, variables)).toEqual({ data: { rows: await selectJson(text) } });
}

const list = (select: string) => `select coalesce(json_agg(r), '[]') from (${select}) r`;
const error = (code: string) => ({
  errors: [{ message: expect.any(String), extensions: { code, path: expect.stringMatching(/^\$/) } }],
});

describe('a query on Chinook', () => {
  test.each([1, 17, 59, 0])(
    'shows customer %s only the own invoices, with lines, tracks and the support employee',
    async (id) => {
      await expectSameRows(
        customer(id),
        `{ rows: customer {
        email support { first_name }
        invoices(order_by: { invoice_id: desc }, limit: 3) {
          total lines(order_by: { invoice_line_id: asc }) { quantity track { name album { title artist { name } } } }
        }
      } }`,
        list(`select c.email, (select json_build_object('first_name', e.first_name) from employee e where e.employee_id = c.support_rep_id) support,
        (select coalesce(json_agg(i), '[]') from (
          select total, (select coalesce(json_agg(json_build_object('quantity', l.quantity, 'track', json_build_object('name', t.name,
              'album', json_build_object('title', a.title, 'artist', json_build_object('name', r.name)))) order by l.invoice_line_id), '[]')
            from invoice_line l join track t using (track_id) join album a using (album_id) join artist r using (artist_id)
            where l.invoice_id = i.invoice_id) lines
          from invoice i where i.customer_id = c.customer_id order by invoice_id desc limit 3) i) invoices
        from customer c where customer_id = ${id}`),
      );
    },
  );

  test.each([3, 4, 5, 1])(
    'sums up for employee %s the invoices of the own customers, sorted by country and total',
    async (id) => {
      await expectSameRows(
        support(id),
        `{ rows: customer(order_by: [{ country: asc }, { invoices_aggregate: { sum: { total: desc } } }, { customer_id: asc }]) {
        customer_id country invoices_aggregate { aggregate { count sum { total } max { invoice_date } } }
      } }`,
        list(`select customer_id, country, json_build_object('aggregate', json_build_object('count', count(i), 'sum', json_build_object('total', sum(total)),
          'max', json_build_object('invoice_date', max(invoice_date)))) invoices_aggregate
        from customer c left join invoice i using (customer_id) where support_rep_id = ${id}
        group by customer_id order by country, sum(total) desc, customer_id`),
      );
    },
  );

  test('applies the row limit of a role to lists but not to aggregates', async () => {
    if (db === undefined) return;
    const response = await request(
      support(3),
      '{ invoice(limit: 100) { invoice_id } invoice_aggregate { aggregate { count } } }',
    );
    const count = await selectJson(
      'select count(*) from invoice join customer using (customer_id) where support_rep_id = 3',
    );
    expect(response).toMatchObject({ data: { invoice_aggregate: { aggregate: { count } } } });
    expect((response as { data: { invoice: unknown[] } }).data.invoice).toHaveLength(25);
  });

  test.each(['Rock', 'Jazz', 'Opera'])('filters tracks of the genre %s by conditions on five tables', async (genre) => {
    await expectSameRows(
      editor,
      `query ($genre: String!) { rows: track(
        where: { genre: { name: { _eq: $genre } }, entries: { playlist: { name: { _ilike: "%music%" } } }, album: { artist: { albums_aggregate: { count: { predicate: { _gt: 1 } } } } } }
        order_by: [{ album: { artist: { name: asc } } }, { name: asc }, { track_id: asc }] limit: 40
      ) { track_id format { name } } }`,
      list(`select track_id, (select json_build_object('name', m.name) from media_type m where m.media_type_id = t.media_type_id) format
        from track t join genre g using (genre_id) join album a using (album_id) join artist r using (artist_id)
        where g.name = '${genre}' and (select count(*) from album where artist_id = r.artist_id) > 1
          and exists (select from playlist_track join playlist p using (playlist_id) where track_id = t.track_id and p.name ilike '%music%')
        order by r.name, t.name, track_id limit 40`),
      { genre },
    );
  });

  test.each([
    [customer(1), 'invoice(where: { customer_id: { _neq: 1 } }) { invoice_id }'],
    [support(3), 'customer(where: { support_rep_id: { _eq: 4 } }) { customer_id }'],
    [support(3), 'invoice_line(where: { invoice: { customer: { support_rep_id: { _neq: 3 } } } }) { invoice_line_id }'],
  ])('returns no rows of other customers or employees for any condition', async (caller, field) => {
    if (db === undefined) return;
    expect(await request(caller, `{ rows: ${field} }`)).toEqual({ data: { rows: [] } });
  });

  test.each([
    [customer(1), '{ customer { company } }'],
    [customer(1), '{ employee { employee_id } }'],
    [editor, '{ customer { email } }'],
    [editor, '{ invoice_aggregate { aggregate { count } } }'],
    [support(3), '{ customer { fax } }'],
    [customer(1), 'mutation { delete_invoice(where: {}) { affected_rows } }'],
  ])('rejects a field or column that the role has no permission for', async (caller, query) => {
    if (db === undefined) return;
    expect(await request(caller, query)).toEqual(error('validation-failed'));
  });
});

/** No two tests change the same rows: inserted rows have keys of their own. */
describe('a mutation on Chinook', () => {
  test('lets a customer update the own address only', async () => {
    if (db === undefined) return;
    const query =
      'mutation ($city: String) { rows: update_customer(where: {}, _set: { city: $city }) { affected_rows returning { customer_id city } } }';
    const before = await selectJson(list('select customer_id, city from customer where customer_id <> 5 order by 1'));
    expect(await request(customer(5), query, { city: 'Brno' })).toEqual({
      data: { rows: { affected_rows: 1, returning: [{ customer_id: 5, city: 'Brno' }] } },
    });
    expect(await selectJson('select to_json(city) from customer where customer_id = 5')).toBe('Brno');
    expect(await selectJson(list('select customer_id, city from customer where customer_id <> 5 order by 1'))).toEqual(
      before,
    );
    const updateOther =
      'mutation { rows: update_customer_by_pk(pk_columns: { customer_id: 6 }, _set: { city: "X" }) { city } }';
    expect(await request(customer(5), updateOther)).toEqual({ data: { rows: null } });
  });

  const insertInvoice = `mutation ($id: Int!, $customer: Int!, $lines: [invoice_line_insert_input!]!) {
    rows: insert_invoice_one(object: { invoice_id: $id, customer_id: $customer, total: 3, lines: { data: $lines } }) {
      invoice_date lines(order_by: { invoice_line_id: asc }) { invoice_line_id invoice { customer { customer_id } } }
    }
  }`;
  const line = (invoice_line_id: number, quantity = 1) => ({ invoice_line_id, track_id: 7, unit_price: 1.5, quantity });

  test('lets a support employee insert an invoice with lines for an own customer', async () => {
    if (db === undefined) return;
    const variables = { id: 9_001, customer: 1, lines: [line(90_001), line(90_002, 2)] };
    const lines = [90_001, 90_002].map((id) => ({ invoice_line_id: id, invoice: { customer: { customer_id: 1 } } }));
    expect(await request(support(3), insertInvoice, variables)).toEqual({
      data: { rows: { invoice_date: '2024-02-29T12:00:00', lines } },
    });
    const stored = list(
      'select invoice_id, total, quantity from invoice join invoice_line using (invoice_id) where invoice_id = 9001 order by quantity',
    );
    expect(await selectJson(stored)).toEqual([1, 2].map((quantity) => ({ invoice_id: 9_001, total: 3, quantity })));
  });

  test.each([
    ['the customer of another employee', { id: 9_002, customer: 2, lines: [] }, 'permission-error'],
    [
      'a line with the quantity 0',
      { id: 9_002, customer: 1, lines: [line(90_010), line(90_011, 0)] },
      'permission-error',
    ],
    ['a line whose key exists', { id: 9_002, customer: 1, lines: [line(1)] }, 'constraint-violation'],
    [
      'a track that does not exist',
      { id: 9_002, customer: 1, lines: [{ ...line(90_012), track_id: 0 }] },
      'constraint-violation',
    ],
  ])('stores nothing of an invoice with %s', async (_name, variables, code) => {
    if (db === undefined) return;
    expect(await request(support(3), insertInvoice, variables)).toEqual(error(code));
    expect(await selectJson('select count(*) from invoice where invoice_id = 9002')).toBe(0);
    expect(await selectJson('select count(*) from invoice_line where invoice_line_id between 90010 and 90012')).toBe(0);
  });

  test('lets a support employee delete only invoices of own customers that have no lines', async () => {
    if (db === undefined) return;
    await request(support(3), insertInvoice, { id: 9_003, customer: 1, lines: [] });
    expect(
      await request(
        support(4),
        'mutation { rows: delete_invoice(where: { invoice_id: { _eq: 9003 } }) { affected_rows } }',
      ),
    ).toEqual({
      data: { rows: { affected_rows: 0 } },
    });
    const all = 'mutation { rows: delete_invoice(where: {}) { affected_rows returning { invoice_id } } }';
    expect(await request(support(3), all)).toEqual({
      data: { rows: { affected_rows: 1, returning: [{ invoice_id: 9_003 }] } },
    });
  });

  test('inserts an artist with albums and tracks and updates prices in one transaction', async () => {
    if (db === undefined) return;
    const query = `mutation ($albums: [album_insert_input!]!) {
      insert_artist_one(object: { artist_id: 9001, name: "New", albums: { data: $albums } }) { artist_id }
      update_track_many(updates: [
        { where: { album: { artist_id: { _eq: 9001 } } }, _inc: { unit_price: 1 } }
        { where: { track_id: { _eq: 90001 } }, _set: { name: "Two" } }
      ]) { affected_rows }
    }`;
    const track = (track_id: number, unit_price: number) => ({
      track_id,
      name: 'One',
      media_type_id: 1,
      milliseconds: 1,
      unit_price,
    });
    const albums = (price: number) => [
      { album_id: 9_001, title: 'First', tracks: { data: [track(90_001, 0.99), track(90_002, price)] } },
      { album_id: 9_002, title: 'Empty' },
    ];
    expect(await request(editor, query, { albums: albums(-0.5) })).toEqual(error('permission-error'));
    expect(await selectJson('select count(*) from artist where artist_id = 9001')).toBe(0);
    expect(await request(editor, query, { albums: albums(2) })).toEqual({
      data: {
        insert_artist_one: { artist_id: 9_001 },
        update_track_many: [{ affected_rows: 2 }, { affected_rows: 1 }],
      },
    });
    expect(
      await selectJson(list('select name, unit_price from track where track_id > 90000 order by track_id')),
    ).toEqual([
      { name: 'Two', unit_price: 1.99 },
      { name: 'One', unit_price: 3 },
    ]);
  });

  test('lets an editor delete only albums without tracks, and upsert albums', async () => {
    if (db === undefined) return;
    const remove = 'mutation { rows: delete_album(where: { artist_id: { _eq: 9001 } }) { returning { title } } }';
    expect(await request(editor, remove)).toEqual({ data: { rows: { returning: [{ title: 'Empty' }] } } });
    const upsert = `mutation { rows: insert_album(
      objects: [{ album_id: 1, title: "Renamed", artist_id: 1 }, { album_id: 9003, title: "New", artist_id: 1 }]
      on_conflict: { constraint: album_pkey, update_columns: [title] }
    ) { affected_rows returning { album_id title tracks_aggregate { aggregate { count } } } } }`;
    const count = await selectJson('select count(*) from track where album_id = 1');
    expect(await request(editor, upsert)).toEqual({
      data: {
        rows: {
          affected_rows: 2,
          returning: [
            { album_id: 1, title: 'Renamed', tracks_aggregate: { aggregate: { count } } },
            { album_id: 9_003, title: 'New', tracks_aggregate: { aggregate: { count: 0 } } },
          ],
        },
      },
    });
    expect(await selectJson('select to_json(title) from album where album_id = 1')).toBe('Renamed');
  });
});

test('an admin counts every row of every table', async () => {
  if (db === undefined) return;
  const fields = chinookTables.map((table) => `${table}_aggregate { aggregate { count } }`).join(' ');
  const counts = await Promise.all(
    chinookTables.map(
      async (table) =>
        [`${table}_aggregate`, { aggregate: { count: await selectJson(`select count(*) from ${table}`) } }] as const,
    ),
  );
  expect(await request({}, `{ ${fields} }`)).toEqual({ data: Object.fromEntries(counts) });
});
