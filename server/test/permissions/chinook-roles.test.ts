/** Chinook under three roles: a customer, an employee of the support and an editor; every answer compared with plain SQL. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chinook, type TestDatabase } from '../support/database/test-database.ts';
import { type Engine, type EngineRequest, startEngine } from '../support/service/engine.ts';
import { chinookMetadata, chinookTables } from './chinook-metadata.ts';

/** Undefined where the file of the database is not at hand; then there is nothing to compare. */
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

type Who = Pick<EngineRequest, 'role' | 'session'>;
const customer = (id: number): Who => ({ role: 'customer', session: { 'x-service-customer-id': String(id) } });
const support = (id: number): Who => ({ role: 'support', session: { 'x-service-employee-id': String(id) } });
const editor: Who = { role: 'editor' };

async function ask(who: Who, query: string, variables?: EngineRequest['variables']): Promise<unknown> {
  return JSON.parse((await engine.execute({ ...who, query, variables })).body);
}

/** The JSON value of a statement of one value. */
async function plain(text: string): Promise<unknown> {
  const { rows } = (await db?.database.query({ text, values: [] })) ?? { rows: [] };
  return JSON.parse(rows[0]?.[0] ?? 'null');
}

/** Both give the same. */
async function same(who: Who, query: string, text: string, variables?: EngineRequest['variables']): Promise<void> {
  if (db === undefined) return;
  expect(await ask(who, query, variables)).toEqual({ data: { rows: await plain(text) } });
}

const list = (select: string) => `select coalesce(json_agg(r), '[]') from (${select}) r`;
const error = (code: string) => ({
  errors: [{ message: expect.any(String), extensions: { code, path: expect.stringMatching(/^\$/) } }],
});

describe('what each role reads', () => {
  test.each([1, 17, 59, 0])('customer %s: own invoices with lines, tracks and who helps', async (id) => {
    await same(
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
  });

  test.each([3, 4, 5, 1])('employee %s: what the own customers have spent, by country and name', async (id) => {
    await same(
      support(id),
      `{ rows: customer(order_by: [{ country: asc }, { invoices_aggregate: { sum: { total: desc } } }, { customer_id: asc }]) {
        customer_id country invoices_aggregate { aggregate { count sum { total } max { invoice_date } } }
      } }`,
      list(`select customer_id, country, json_build_object('aggregate', json_build_object('count', count(i), 'sum', json_build_object('total', sum(total)),
          'max', json_build_object('invoice_date', max(invoice_date)))) invoices_aggregate
        from customer c left join invoice i using (customer_id) where support_rep_id = ${id}
        group by customer_id order by country, sum(total) desc, customer_id`),
    );
  });

  test('the row limit of the support holds for lists and never for aggregates', async () => {
    if (db === undefined) return;
    const answer = await ask(
      support(3),
      '{ invoice(limit: 100) { invoice_id } invoice_aggregate { aggregate { count } } }',
    );
    const count = await plain(
      'select count(*) from invoice join customer using (customer_id) where support_rep_id = 3',
    );
    expect(answer).toMatchObject({ data: { invoice_aggregate: { aggregate: { count } } } });
    expect((answer as { data: { invoice: unknown[] } }).data.invoice).toHaveLength(25);
  });

  test.each(['Rock', 'Jazz', 'Opera'])(
    'the editor: tracks of %s on playlists, with conditions through five tables',
    async (genre) => {
      await same(
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
    },
  );

  test.each([
    [customer(1), 'invoice(where: { customer_id: { _neq: 1 } }) { invoice_id }'],
    [support(3), 'customer(where: { support_rep_id: { _eq: 4 } }) { customer_id }'],
    [support(3), 'invoice_line(where: { invoice: { customer: { support_rep_id: { _neq: 3 } } } }) { invoice_line_id }'],
  ])('of others nothing is there, whatever is asked', async (who, field) => {
    if (db === undefined) return;
    expect(await ask(who, `{ rows: ${field} }`)).toEqual({ data: { rows: [] } });
  });

  test.each([
    [customer(1), '{ customer { company } }'],
    [customer(1), '{ employee { employee_id } }'],
    [editor, '{ customer { email } }'],
    [editor, '{ invoice_aggregate { aggregate { count } } }'],
    [support(3), '{ customer { fax } }'],
    [customer(1), 'mutation { delete_invoice(where: {}) { affected_rows } }'],
  ])('what a role may not name is not in its schema', async (who, query) => {
    if (db === undefined) return;
    expect(await ask(who, query)).toEqual(error('validation-failed'));
  });
});

/** What a mutation leaves behind is looked at in tables that nobody else changes; rows have keys of their own. */
describe('what each role writes', () => {
  test('a customer mends the own address and nobody else', async () => {
    if (db === undefined) return;
    const query =
      'mutation ($city: String) { rows: update_customer(where: {}, _set: { city: $city }) { affected_rows returning { customer_id city } } }';
    const before = await plain(list('select customer_id, city from customer where customer_id <> 5 order by 1'));
    expect(await ask(customer(5), query, { city: 'Brno' })).toEqual({
      data: { rows: { affected_rows: 1, returning: [{ customer_id: 5, city: 'Brno' }] } },
    });
    expect(await plain('select to_json(city) from customer where customer_id = 5')).toBe('Brno');
    expect(await plain(list('select customer_id, city from customer where customer_id <> 5 order by 1'))).toEqual(
      before,
    );
    const stolen =
      'mutation { rows: update_customer_by_pk(pk_columns: { customer_id: 6 }, _set: { city: "X" }) { city } }';
    expect(await ask(customer(5), stolen)).toEqual({ data: { rows: null } });
  });

  const bill = `mutation ($id: Int!, $customer: Int!, $lines: [invoice_line_insert_input!]!) {
    rows: insert_invoice_one(object: { invoice_id: $id, customer_id: $customer, total: 3, lines: { data: $lines } }) {
      invoice_date lines(order_by: { invoice_line_id: asc }) { invoice_line_id invoice { customer { customer_id } } }
    }
  }`;
  const line = (invoice_line_id: number, quantity = 1) => ({ invoice_line_id, track_id: 7, unit_price: 1.5, quantity });

  test('the support bills an own customer, lines and all', async () => {
    if (db === undefined) return;
    const given = { id: 9_001, customer: 1, lines: [line(90_001), line(90_002, 2)] };
    const lines = [90_001, 90_002].map((id) => ({ invoice_line_id: id, invoice: { customer: { customer_id: 1 } } }));
    expect(await ask(support(3), bill, given)).toEqual({
      data: { rows: { invoice_date: '2024-02-29T12:00:00', lines } },
    });
    const there = list(
      'select invoice_id, total, quantity from invoice join invoice_line using (invoice_id) where invoice_id = 9001 order by quantity',
    );
    expect(await plain(there)).toEqual([1, 2].map((quantity) => ({ invoice_id: 9_001, total: 3, quantity })));
  });

  test.each([
    ['the customer of somebody else', { id: 9_002, customer: 2, lines: [] }, 'permission-error'],
    ['a line of nothing', { id: 9_002, customer: 1, lines: [line(90_010), line(90_011, 0)] }, 'permission-error'],
    ['a line that is there', { id: 9_002, customer: 1, lines: [line(1)] }, 'constraint-violation'],
    ['no such track', { id: 9_002, customer: 1, lines: [{ ...line(90_012), track_id: 0 }] }, 'constraint-violation'],
  ])('nothing is left of a bill with %s', async (_name, given, code) => {
    if (db === undefined) return;
    expect(await ask(support(3), bill, given)).toEqual(error(code));
    expect(await plain('select count(*) from invoice where invoice_id = 9002')).toBe(0);
    expect(await plain('select count(*) from invoice_line where invoice_line_id between 90010 and 90012')).toBe(0);
  });

  test('the support deletes only empty bills of own customers', async () => {
    if (db === undefined) return;
    await ask(support(3), bill, { id: 9_003, customer: 1, lines: [] });
    expect(
      await ask(
        support(4),
        'mutation { rows: delete_invoice(where: { invoice_id: { _eq: 9003 } }) { affected_rows } }',
      ),
    ).toEqual({
      data: { rows: { affected_rows: 0 } },
    });
    const all = 'mutation { rows: delete_invoice(where: {}) { affected_rows returning { invoice_id } } }';
    expect(await ask(support(3), all)).toEqual({
      data: { rows: { affected_rows: 1, returning: [{ invoice_id: 9_003 }] } },
    });
  });

  test('the editor adds an artist with albums and tracks, and changes prices in one transaction', async () => {
    if (db === undefined) return;
    const query = `mutation ($albums: [album_insert_input!]!) {
      insert_artist_one(object: { artist_id: 9001, name: "Nobody", albums: { data: $albums } }) { artist_id }
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
    expect(await ask(editor, query, { albums: albums(-0.5) })).toEqual(error('permission-error'));
    expect(await plain('select count(*) from artist where artist_id = 9001')).toBe(0);
    expect(await ask(editor, query, { albums: albums(2) })).toEqual({
      data: {
        insert_artist_one: { artist_id: 9_001 },
        update_track_many: [{ affected_rows: 2 }, { affected_rows: 1 }],
      },
    });
    expect(await plain(list('select name, unit_price from track where track_id > 90000 order by track_id'))).toEqual([
      { name: 'Two', unit_price: 1.99 },
      { name: 'One', unit_price: 3 },
    ]);
  });

  test('the editor deletes albums without tracks alone, and puts new ones over old ones', async () => {
    if (db === undefined) return;
    const remove = 'mutation { rows: delete_album(where: { artist_id: { _eq: 9001 } }) { returning { title } } }';
    expect(await ask(editor, remove)).toEqual({ data: { rows: { returning: [{ title: 'Empty' }] } } });
    const upsert = `mutation { rows: insert_album(
      objects: [{ album_id: 1, title: "Renamed", artist_id: 1 }, { album_id: 9003, title: "New", artist_id: 1 }]
      on_conflict: { constraint: album_pkey, update_columns: [title] }
    ) { affected_rows returning { album_id title tracks_aggregate { aggregate { count } } } } }`;
    const count = await plain('select count(*) from track where album_id = 1');
    expect(await ask(editor, upsert)).toEqual({
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
    expect(await plain('select to_json(title) from album where album_id = 1')).toBe('Renamed');
  });
});

test('an admin reads every row of every table', async () => {
  if (db === undefined) return;
  const fields = chinookTables.map((table) => `${table}_aggregate { aggregate { count } }`).join(' ');
  const counts = await Promise.all(
    chinookTables.map(
      async (table) =>
        [`${table}_aggregate`, { aggregate: { count: await plain(`select count(*) from ${table}`) } }] as const,
    ),
  );
  expect(await ask({}, `{ ${fields} }`)).toEqual({ data: Object.fromEntries(counts) });
});
