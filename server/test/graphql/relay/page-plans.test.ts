/** The plans of PostgreSQL for pages: an index that has the order is read from the cursor, for one page only. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, type TestService } from '../../support/service/test-service.ts';
import { asUser, encoded } from './relay-fixture.ts';

const sql = `
create table event (id bigint primary key, day date not null, owner int not null, note text);
insert into event select n, date '2020-01-01' + n % 300, n % 10, 'note ' || n from generate_series(1, 20000) as n;
create index on event (day, id);
create index on event (owner, day desc, id desc);
analyze event;
`;

let service: TestService;

beforeAll(async () => {
  service = await startService({}, { sql });
  await service.command('track_table', 'event');
  await service.command('create_select_permission', {
    table: 'event',
    role: 'user',
    permission: { columns: '*', filter: { owner: { _eq: 'X-Service-User-Id' } } },
  });
}, 60_000);

afterAll(() => service.stop());

const pageInfo = 'pageInfo { startCursor endCursor hasNextPage hasPreviousPage }';
const cursor = encoded('{"day": "2020-06-01", "id": 9000}');

test.each([
  ['the first page by key', 'first: 10', {}],
  ['a page after a key', `first: 10, after: "${encoded('{"id": 9000}')}"`, {}],
  ['a page before a key', `last: 10, before: "${encoded('{"id": 9000}')}"`, {}],
  ['a page after a cursor of two columns', `order_by: { day: asc, id: asc }, first: 10, after: "${cursor}"`, {}],
  ['a page before a cursor of two columns', `order_by: { day: asc, id: asc }, last: 10, before: "${cursor}"`, {}],
  ['a page in descending order', `order_by: { day: desc, id: desc }, first: 10, after: "${cursor}"`, {}],
  ['a page of the rows of a role', `order_by: { day: desc, id: desc }, first: 10, after: "${cursor}"`, asUser(3)],
])('reads an index without sorting: %s', async (_, args, session) => {
  const query = `{ event_connection(${args}) { ${pageInfo} edges { cursor node { id note } } } }`;
  const { body } = await service.post('/v1/graphql/explain', {
    query: { query },
    is_relay: true,
    user: { 'x-service-role': 'admin', ...session },
  });
  const [{ plan }] = body as [{ plan: readonly string[] }];
  const steps = plan.join('\n');
  expect(steps).toContain('Index');
  expect(steps).not.toContain('Seq Scan on event');
  // The rows of the page itself are sorted by their number.
  expect(plan.filter((line) => line.includes('Sort Key')).every((line) => line.includes('"o:'))).toBe(true);
});
