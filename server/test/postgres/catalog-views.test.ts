/** The volatility of views in the catalog. */
import { expect, test } from 'vitest';
import { readCatalog } from '../../src/postgres/catalog/catalog.ts';
import { relationKey } from '../../src/postgres/catalog/catalog-types.ts';
import { testDatabase } from '../support/database/test-database.ts';

test('views are volatile whose SQL calls a volatile function, directly or through other views', async () => {
  const database = await testDatabase({
    sql: `
    create function own() returns int language sql volatile as 'select 1';
    create function steady() returns int language sql stable as 'select 1';
    create view of_own as select own() as value;
    create view of_clock as select clock_timestamp() as at;
    create view of_both as select at from of_clock where exists (select from of_own);
    create view of_steady as select steady() as value, now() as at, upper('a') as name;
    create materialized view stored as select random() as value`,
  });
  try {
    const { relations } = await readCatalog(database.database);
    const found = [...relations.values()].filter(({ isVolatile }) => isVolatile);
    expect(found.map(({ name }) => name).sort()).toEqual(['of_both', 'of_clock', 'of_own']);
    const alone = await readCatalog(database.database, { schema: 'public', name: 'of_both' });
    expect(alone.relations.get(relationKey('public', 'of_both'))?.isVolatile).toBe(true);
  } finally {
    await database.drop();
  }
});

test.each([
  ['a volatile built-in function', `select set_config('app.name', 'a', true) as value`],
  ['a sequence', `select nextval('numbers') as value`],
  ['the function of an operator', 'select 1 @@@ 2 as value'],
  ['an operator in a condition', 'select id from item where id @@@ 2 > 1'],
  ['a function within another', 'select upper(own(id)::text) as value from item'],
  ['a function in a subquery', 'select (select max(own(id)) from item) as value'],
  ['a function in a common table expression', 'with found as (select own(1) as value) select value from found'],
  ['a function in `from`', 'select value from own(1) as value'],
])('a view is volatile because of %s', async (_place, text) => {
  expect(await volatileViews(`create view found as ${text}; create view "over" as select * from found`)).toEqual([
    'found',
    'over',
  ]);
});

test.each([
  ['functions and operators that are not volatile', `select lower('a') || 'b' as value, 1 @+@ 2 as sum, now() as at`],
  ['names like those in the text of rules', `select funcid as "funcid 1598 ", 'funcid 1598 ' as value from funcid`],
  ['functions in materialized views', 'select value from stored'],
])('%s make no view volatile', async (_place, text) => {
  expect(await volatileViews(`create view found as ${text}`)).toEqual([]);
});

/** Returns the names of the volatile views that the statements create. */
async function volatileViews(text: string): Promise<readonly string[]> {
  const sql = `
    create table item (id int primary key);
    create table funcid (funcid int);
    create sequence numbers;
    create function own(value int) returns int language sql volatile as 'select value';
    create function changing(int, int) returns int language sql volatile as 'select $1 + $2';
    create function steady(int, int) returns int language sql stable as 'select $1 + $2';
    create operator @@@ (function = changing, leftarg = int, rightarg = int);
    create operator @+@ (function = steady, leftarg = int, rightarg = int);
    create materialized view stored as select own(1) as value;
    ${text}`;
  const database = await testDatabase({ sql });
  try {
    const { relations } = await readCatalog(database.database);
    const found = [...relations.values()].filter(({ isVolatile }) => isVolatile);
    return found.map(({ name }) => name).sort();
  } finally {
    await database.drop();
  }
}
