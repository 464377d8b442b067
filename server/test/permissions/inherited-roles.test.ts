/** Inherited roles in a database: the rows and cells of all parent roles, in every argument that names a column. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { trackRelated } from '../support/service/related-tables.ts';
import { startService, type TestService } from '../support/service/test-service.ts';

const sql = `
  create table manager (id int primary key, name text not null, phone text not null);
  create table employee (
    id int primary key, name text not null, salary int not null, title text, manager_id int not null references manager
  );
  insert into manager values (1, 'Mia', '11'), (2, 'Max', '22');
  insert into employee values
    (1, 'Ann', 100, 'clerk', 1), (2, 'Bob', 200, 'cook', 1), (3, 'Cid', 300, 'clerk', 2), (4, 'Dan', 50, 'cook', 2);
`;

let service: TestService;

/** The session of employee 1 (Ann), who is also manager 2 (Max). */
const both = { 'x-service-role': 'both', 'x-service-user-id': '1', 'x-service-manager-id': '2' };

beforeAll(async () => {
  service = await startService({}, { sql });
  const permit = (table: string, role: string, permission: unknown) => ({
    type: 'create_select_permission',
    args: { table, role, permission },
  });
  await service.command('bulk', [
    ...trackRelated({
      table: 'employee',
      column: 'manager_id',
      target: 'manager',
      toOne: 'manager',
      toMany: 'employees',
    }),
    permit('employee', 'employee', { columns: ['id', 'name', 'salary'], filter: { id: 'x-service-user-id' } }),
    permit('employee', 'manager', {
      columns: ['name', 'title'],
      filter: { manager_id: 'x-service-manager-id' },
      allow_aggregations: true,
    }),
    permit('manager', 'manager', { columns: '*', filter: { id: 'x-service-manager-id' } }),
    permit('manager', 'employee', { columns: ['name'], filter: { employees: { id: 'x-service-user-id' } } }),
    { type: 'add_inherited_role', args: { role_name: 'both', role_set: ['employee', 'manager'] } },
  ]);
});

afterAll(() => service?.stop());

async function data(query: string): Promise<unknown> {
  const body = (await service.graphql(query, both)) as { readonly data?: unknown };
  if (body.data === undefined) throw new Error(JSON.stringify(body));
  return body.data;
}

describe('a role that inherits from two roles', () => {
  test('sees the rows of both, and null for a cell that no parent role grants', async () => {
    expect(await data('{ employee(order_by: {name: asc}) { id name salary title } }')).toEqual({
      employee: [
        { id: 1, name: 'Ann', salary: 100, title: null },
        { id: null, name: 'Cid', salary: null, title: 'clerk' },
        { id: null, name: 'Dan', salary: null, title: 'cook' },
      ],
    });
  });

  test('sees related rows with the same restriction', async () => {
    expect(await data('{ employee(order_by: {name: asc}) { name manager { id name phone } } }')).toEqual({
      employee: [
        { name: 'Ann', manager: { id: null, name: 'Mia', phone: null } },
        { name: 'Cid', manager: { id: 2, name: 'Max', phone: '22' } },
        { name: 'Dan', manager: { id: 2, name: 'Max', phone: '22' } },
      ],
    });
  });

  test('finds no rows by cells that it does not see', async () => {
    expect(await data('{ employee(where: {salary: {_gt: 60}}) { name } }')).toEqual({ employee: [{ name: 'Ann' }] });
    expect(await data('{ employee(where: {salary: {_is_null: true}}, order_by: {name: asc}) { name } }')).toEqual({
      employee: [{ name: 'Cid' }, { name: 'Dan' }],
    });
    expect(await data('{ employee_by_pk(id: 3) { name } }')).toEqual({ employee_by_pk: null });
    expect(await data('{ manager(where: {employees: {salary: {_eq: 300}}}) { name } }')).toEqual({ manager: [] });
  });

  test('gets orders and distinct rows by the visible cells only', async () => {
    const byPay = '{ employee(order_by: [{salary: desc_nulls_last}, {name: desc}]) { name } }';
    expect(await data(byPay)).toEqual({ employee: [{ name: 'Ann' }, { name: 'Dan' }, { name: 'Cid' }] });
    const page =
      '{ employee(order_by: [{salary: asc_nulls_first}, {name: asc}], limit: 2, offset: 1) { name salary manager { phone } } }';
    expect(await data(page)).toEqual({
      employee: [
        { name: 'Dan', salary: null, manager: { phone: '22' } },
        { name: 'Ann', salary: 100, manager: { phone: null } },
      ],
    });
    const distinct = '{ employee(distinct_on: salary, order_by: [{salary: asc}, {name: asc}]) { name salary } }';
    expect(await data(distinct)).toEqual({
      employee: [
        { name: 'Ann', salary: 100 },
        { name: 'Cid', salary: null },
      ],
    });
    const through = '{ employee(order_by: [{manager: {phone: asc_nulls_last}}, {name: asc}]) { name } }';
    expect(await data(through)).toEqual({ employee: [{ name: 'Cid' }, { name: 'Dan' }, { name: 'Ann' }] });
  });

  test('aggregates only the cells that it sees', async () => {
    const aggregate =
      '{ employee_aggregate { aggregate { count pay: count(columns: salary) max { salary } sum { salary } } nodes { name salary } } }';
    expect(await data(aggregate)).toEqual({
      employee_aggregate: {
        aggregate: { count: 3, pay: 1, max: { salary: 100 }, sum: { salary: 100 } },
        nodes: expect.arrayContaining([{ name: 'Cid', salary: null }]),
      },
    });
    const paged =
      '{ employee_aggregate(order_by: {name: asc}, limit: 2) { aggregate { count pay: count(columns: salary) sum { salary } } nodes { salary } } }';
    expect(await data(paged)).toEqual({
      employee_aggregate: {
        aggregate: { count: 2, pay: 1, sum: { salary: 100 } },
        nodes: [{ salary: 100 }, { salary: null }],
      },
    });
    expect(
      await data(
        '{ manager(where: {employees_aggregate: {count: {arguments: [salary], predicate: {_gt: 0}}}}) { name } }',
      ),
    ).toEqual({
      manager: [{ name: 'Mia' }],
    });
    const ordered =
      '{ manager(order_by: [{employees_aggregate: {sum: {salary: asc_nulls_last}}}, {name: asc}]) { name } }';
    expect(await data(ordered)).toEqual({ manager: [{ name: 'Mia' }, { name: 'Max' }] });
  });
});

test('reports an inherited role whose parents have different write permissions as inconsistent and applies its other permissions', async () => {
  await service.command('create_delete_permission', {
    table: 'employee',
    role: 'employee',
    permission: { filter: {} },
  });
  const otherFilter = { table: 'employee', role: 'manager', permission: { filter: { id: 1 } } };
  await service.command('create_delete_permission', otherFilter);
  expect(await service.command('get_inconsistent_metadata', {})).toMatchObject({
    is_consistent: false,
    inconsistent_objects: [{ type: 'inherited_role_permission' }],
  });
  expect(await data('{ employee { name } }')).toBeDefined();
  await service.command('drop_inconsistent_metadata', {});
  expect(await data('{ employee { name } }')).toBeDefined();
  await service.command('drop_delete_permission', { table: 'employee', role: 'manager' });
  expect(await data('mutation { delete_employee(where: {name: {_eq: "Dan"}}) { affected_rows } }')).toEqual({
    delete_employee: { affected_rows: 1 },
  });
});
