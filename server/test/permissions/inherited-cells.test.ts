/** Columns that an inherited role sees in some rows only, in orders, distinct rows, aggregates and mutations. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';
import { type Engine, startEngine } from '../support/service/engine.ts';

const tables = `
  create table team (id int primary key, name text, motto text);
  create table worker (
    id int primary key, name text, team_id int references team, pay int, bonus int, grade text
  );
  create table shown (worker_id int primary key);
  create function total(worker worker) returns int stable language sql as $$ select worker.pay + worker.bonus $$;
  create function is_open(worker worker) returns boolean stable language sql
    as $$ select worker.pay < 300 $$;
  create function is_listed(worker worker) returns boolean stable language sql
    as $$ select exists (select from worker w where w.id = worker.id and w.grade is not null) $$;
  insert into team values (1, 'red', 'R'), (2, 'blue', 'B');
  insert into worker values
    (1, 'Ann', 1, 100, 1, 'a'), (2, 'Bo', 1, 200, 2, 'a'), (3, 'Cy', 2, 300, 3, 'b'), (4, 'Di', 2, 400, 4, null);
  insert into shown values (1), (3);
`;

const select = (role: string, permission: object) => ({
  role,
  permission: { allow_aggregations: true, ...permission },
});

/** One row rule of each kind. */
const rules = {
  variable: { id: { _in: 'x-service-shown' } },
  exists: { _exists: { _table: { schema: 'public', name: 'shown' }, _where: { worker_id: { _ceq: ['$', 'id'] } } } },
  related: { listed: {} },
  computed: { is_open: true },
  deep: { _or: [{ team: { workers: { id: { _eq: 'x-service-one' } } } }, { is_listed: false }] },
};
/** The ids of the rows whose cells `pay` and `bonus` each rule shows. */
const visibleIds: Readonly<Record<keyof typeof rules, readonly number[]>> = {
  variable: [1, 3],
  exists: [1, 3],
  related: [1, 3],
  computed: [1, 2],
  deep: [1, 2, 4],
};
const kinds = Object.keys(rules) as (keyof typeof rules)[];

const metadata = {
  inherited_roles: [
    ...kinds.map((kind) => ({ role_name: `inherited_${kind}`, role_set: [`part_${kind}`, 'all'] })),
    { role_name: 'inherited_keys', role_set: ['first', 'names'] },
    { role_name: 'inherited_several', role_set: ['part_variable', 'part_exists', 'all'] },
  ],
  sources: [
    {
      name: 'default',
      tables: [
        {
          table: 'team',
          array_relationships: [
            { name: 'workers', using: { foreign_key_constraint_on: { table: 'worker', column: 'team_id' } } },
          ],
          select_permissions: [
            select('all', { columns: '*', filter: {} }),
            select('ruled', { columns: '*', filter: { workers: { grade: 'z' } } }),
          ],
        },
        {
          table: 'worker',
          object_relationships: [
            { name: 'team', using: { foreign_key_constraint_on: 'team_id' } },
            {
              name: 'listed',
              using: { manual_configuration: { remote_table: 'shown', column_mapping: { id: 'worker_id' } } },
            },
          ],
          computed_fields: ['total', 'is_open', 'is_listed'].map((name) => ({ name, definition: { function: name } })),
          select_permissions: [
            select('all', { columns: ['id', 'name'], filter: {} }),
            select('first', { columns: ['id', 'name'], filter: { id: 1 } }),
            select('names', { columns: ['name'], filter: {} }),
            select('ruled', { columns: ['id'], filter: {} }),
            ...kinds.map((kind) =>
              select(`part_${kind}`, {
                columns: ['id', 'name', 'pay', 'bonus', 'grade'],
                computed_fields: ['total'],
                filter: rules[kind],
              }),
            ),
          ],
          update_permissions: ['all', 'names', 'ruled'].map((role) => ({
            role,
            permission: { columns: ['name', 'pay', 'grade'], filter: {} },
          })),
          delete_permissions: [{ role: 'names', permission: { filter: {} } }],
        },
        { table: 'shown' },
      ],
    },
  ],
};

let db: TestDatabase;
let engine: Engine;
beforeAll(async () => {
  db = await testDatabase({ sql: tables });
  engine = await startEngine({ metadata, databases: { default: db.database } });
  expect(engine.inconsistencies).toEqual([]);
});
afterAll(async () => {
  await engine?.close();
  await db?.drop();
});

const session = { 'x-service-shown': '{1,3}', 'x-service-one': '1' };

async function data(kind: string, query: string): Promise<unknown> {
  const body = JSON.parse((await engine.execute({ query, role: `inherited_${kind}`, session })).body) as {
    data?: unknown;
  };
  if (body.data === undefined) throw new Error(JSON.stringify(body));
  return body.data;
}

const workers = [1, 2, 3, 4].map((id) => ({ id, pay: id * 100, bonus: id }));

/** Workers sorted by the pay that the role sees, nulls last. */
function byPay(kind: keyof typeof rules): readonly { readonly id: number; readonly pay: number | null }[] {
  const masked = workers.map(({ id, pay }) => ({ id, pay: visibleIds[kind].includes(id) ? pay : null }));
  return masked.sort((one, other) => (one.pay ?? 1000) - (other.pay ?? 1000) || one.id - other.id);
}

describe.each(kinds)('cells that a rule of the kind %s shows', (kind) => {
  const first = byPay(kind).filter(({ pay }, index, all) => index === 0 || pay !== all[index - 1]?.pay);

  test('are made distinct and sorted by the visible values', async () => {
    const query = '{ worker(distinct_on: pay, order_by: [{pay: asc}, {id: asc}]) { id pay } }';
    expect(await data(kind, query)).toEqual({ worker: first });
  });

  test('are made distinct by several columns and sorted with related rows', async () => {
    const query = `{ worker(distinct_on: [pay, bonus], order_by: [{bonus: desc_nulls_last}, {pay: desc_nulls_last}, {team: {name: asc}}]) {
      pay bonus team { name }
    } }`;
    const shown = workers.filter(({ id }) => visibleIds[kind].includes(id)).reverse();
    const rows = (await data(kind, query)) as { worker: readonly unknown[] };
    const teams = (id: number) => ({ name: id < 3 ? 'red' : 'blue' });
    expect(rows.worker.slice(0, -1)).toEqual(shown.map(({ id, pay, bonus }) => ({ pay, bonus, team: teams(id) })));
    expect(rows.worker.at(-1)).toMatchObject({ pay: null, bonus: null });
  });

  test('are made distinct without an order', async () => {
    const { worker } = (await data(kind, '{ worker(distinct_on: pay) { pay } }')) as { worker: readonly unknown[] };
    expect(worker).toHaveLength(first.length);
    expect(worker).toEqual(expect.arrayContaining(first.map(({ pay }) => ({ pay }))));
  });

  test('sort the pages of rows with a computed field', async () => {
    const query = '{ worker(order_by: [{total: asc}, {id: asc}], offset: 1, limit: 2) { id pay total team { name } } }';
    expect(await data(kind, query)).toEqual({
      worker: byPay(kind)
        .slice(1, 3)
        .map(({ id, pay }) => ({
          id,
          pay,
          total: pay === null ? null : pay + id,
          team: { name: id < 3 ? 'red' : 'blue' },
        })),
    });
  });

  test('are counted and aggregated, with and without a limit', async () => {
    const parts = `aggregate {
      count pay: count(columns: pay) both: count(columns: [pay, bonus], distinct: true) one: count(columns: pay, distinct: true)
      min { pay } max { pay bonus } sum { pay }
    } nodes { id pay }`;
    const seen = byPay(kind).flatMap(({ pay }) => pay ?? []);
    const whole = {
      aggregate: {
        count: 4,
        pay: seen.length,
        both: first.length,
        one: seen.length,
        min: { pay: seen[0] },
        max: { pay: seen.at(-1), bonus: (seen.at(-1) ?? 0) / 100 },
        sum: { pay: seen.reduce((sum, pay) => sum + pay, 0) },
      },
      nodes: byPay(kind),
    };
    const order = 'order_by: [{pay: asc}, {id: asc}]';
    expect(await data(kind, `{ worker_aggregate(${order}) { ${parts} } }`)).toEqual({ worker_aggregate: whole });
    expect(await data(kind, `{ worker_aggregate(${order}, limit: 9) { ${parts} } }`)).toEqual({
      worker_aggregate: whole,
    });
    const distinct = await data(
      kind,
      `{ worker_aggregate(distinct_on: pay, ${order}) { aggregate { count } nodes { pay } } }`,
    );
    expect(distinct).toEqual({
      worker_aggregate: { aggregate: { count: first.length }, nodes: first.map(({ pay }) => ({ pay })) },
    });
  });

  test.each([false, true])(
    'are hidden in the rows that an update returns (with a computed field: %s)',
    async (computed) => {
      const fields = computed ? 'id pay total' : 'id pay';
      const update = `update_worker(where: {name: {_is_null: false}}, _set: {name: "N"}) { returning { ${fields} } }`;
      const { update_worker: result } = (await data(kind, `mutation { ${update} }`)) as {
        update_worker: { returning: readonly unknown[] };
      };
      const expected = byPay(kind).map(({ id, pay }) => {
        return { id, pay, ...(computed && { total: pay === null ? null : pay + id }) };
      });
      expect(result.returning).toHaveLength(4);
      expect(result.returning).toEqual(expect.arrayContaining(expected));
    },
  );

  test('match conditions by their visible values', async () => {
    const hidden = byPay(kind).filter(({ pay }) => pay === null);
    const query =
      '{ worker(where: {pay: {_is_null: true}}, order_by: [{pay: asc}, {id: asc}], offset: 0) { id pay team { id } } }';
    const { worker } = (await data(kind, query)) as { worker: readonly object[] };
    expect(worker.map((row) => ({ ...row, team: undefined }))).toEqual(
      hidden.map((row) => ({ ...row, team: undefined })),
    );
  });
});

test.each(['exists', 'several'])('prints a condition once for all cells that it shows (%s)', async (kind) => {
  const query = '{ worker(distinct_on: [pay], order_by: [{pay: asc}, {bonus: desc}]) { pay bonus grade } }';
  const { statements } = await engine.execute({ query, role: `inherited_${kind}`, session });
  expect(statements).toHaveLength(1);
  expect(statements[0]?.text.split('"public"."shown"')).toHaveLength(2);
});

test('finds no row by a key that the role does not see', async () => {
  const update = (id: number) => `update_worker_by_pk(pk_columns: {id: ${id}}, _set: {name: "N"}) { id }`;
  expect(await data('keys', `mutation { ${update(1)} }`)).toEqual({ update_worker_by_pk: { id: 1 } });
  expect(await data('keys', `mutation { ${update(2)} }`)).toEqual({ update_worker_by_pk: null });
  expect(await data('keys', 'mutation { delete_worker_by_pk(id: 2) { name } }')).toEqual({ delete_worker_by_pk: null });
});

test('an update shows cells by the row rules on the updated row', async () => {
  const grade = (value: string) => `update_worker_by_pk(pk_columns: {id: 4}, _set: {grade: ${value}}) { pay }`;
  expect(await data('deep', `mutation { ${grade('"z"')} }`)).toEqual({ update_worker_by_pk: { pay: null } });
  expect(await data('deep', `mutation { ${grade('null')} }`)).toEqual({ update_worker_by_pk: { pay: 400 } });
});

test('an update shows a related row by its row rule on the updated table', async () => {
  const query = (grade: string) =>
    `mutation { update_worker_by_pk(pk_columns: {id: 1}, _set: {grade: ${grade}}) { team { name } } }`;
  const updateGrade = async (grade: string) =>
    JSON.parse((await engine.execute({ query: query(grade), role: 'ruled' })).body) as unknown;
  expect(await updateGrade('"z"')).toEqual({ data: { update_worker_by_pk: { team: { name: 'red' } } } });
  expect(await updateGrade('"a"')).toEqual({ data: { update_worker_by_pk: { team: null } } });
});
