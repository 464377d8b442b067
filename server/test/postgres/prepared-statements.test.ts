/** Prepared statements through a pooler that may use another server connection for each transaction. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pooled } from '../support/database/pooler.ts';
import { connect, type TestDatabase, testDatabase } from '../support/database/test-database.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await testDatabase({
    sql: 'create table counter (id int primary key, times int not null); insert into counter values (1, 0)',
  });
});
afterAll(() => db.drop());

test('no prepared statement fails because of its name, in transactions and outside of them', async () => {
  const database = connect(pooled(db.url), 8);
  const texts = Array.from({ length: 6 }, (_, number) => `select times + $1::int + ${number} from counter`);
  const write = 'update counter set times = times + $1::int';
  const named = (text: string) => ({ text, values: ['1'], name: database.prepared(text) });
  try {
    await Promise.all(
      Array.from({ length: 60 }, async (_, number) => {
        const text = texts[number % texts.length] ?? '';
        if (number % 2 === 0) await database.query(named(text));
        else
          await database.transaction(async (query) => {
            await query(named(text));
            await query(named(write));
          });
      }),
    );
    expect((await database.query({ text: 'select times from counter', values: [] })).rows).toEqual([['30']]);
  } finally {
    await database.close();
  }
});

test.runIf(process.env.JOINERY_TEST_POOLER_ADDRESS)('no read is sent behind another one through a pooler', async () => {
  const database = connect(pooled(db.url), 2);
  const text = 'select $1::int + 1';
  const read = (value: number) =>
    database.query({ text, values: [value], name: database.prepared(text) }, { reads: true, repeatable: true });
  try {
    for (let round = 0; round < 10; round += 1) {
      const results = await Promise.all(Array.from({ length: 20 }, (_, value) => read(value)));
      expect(results.map(({ rows }) => rows)).toEqual(Array.from({ length: 20 }, (_, value) => [[String(value + 1)]]));
    }
    expect(database.stats().pipelined).toBe(0);
  } finally {
    await database.close();
  }
});
