import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ServerPair, startServerPair } from '../../../test/support/database/standby-server.ts';
import { connect, type TestDatabase, testDatabase } from '../../../test/support/database/test-database.ts';
import { Cancellation } from '../../base/cancellation.ts';
import type { Database } from '../../postgres/client/pool.ts';
import { SourcePosition } from './source-position.ts';

const signal = new Cancellation();

describe('the tables that a position covers', () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await testDatabase({
      sql: `
        create table plain (id int);
        create unlogged table unlogged (id int);
        create table split (id int) partition by range (id);
        create table split_1 partition of split for values from (1) to (2);
        create table far (id int) partition by range (id);
        create extension postgres_fdw;
        create server elsewhere foreign data wrapper postgres_fdw;
        create foreign table far_1 partition of far for values from (1) to (2) server elsewhere;
        create table parent (id int);
        create foreign table child () inherits (parent) server elsewhere;
        create table guarded (id int);
        alter table guarded enable row level security;
        create view shown as select * from plain;
        create materialized view stored as select * from plain;
        create schema "my ""own""";
        create table "my ""own"""."a.b" (id int);`,
    });
  });
  afterAll(() => db.drop());

  test.each([
    ['a table', '"public"."plain"', true],
    ['an unlogged table', '"public"."unlogged"', true],
    ['a partitioned table', '"public"."split"', true],
    ['a partitioned table with a foreign partition', '"public"."far"', false],
    ['a table with a foreign child', '"public"."parent"', false],
    ['a foreign table', '"public"."far_1"', false],
    ['a table with policies', '"public"."guarded"', false],
    ['a view', '"public"."shown"', false],
    ['a materialized view', '"public"."stored"', true],
    ['a table with special characters in its name', '"my ""own"""."a.b"', true],
    ['a table that does not exist', '"public"."missing"', false],
    ['a catalog', '"pg_catalog"."pg_class"', false],
  ])('%s', async (_what, name, covered) => {
    const position = new SourcePosition(() => db.database, signal);
    await position.read(new Set([name, '"public"."plain"']));
    expect(position.covers([name])).toBe(covered);
    expect(position.covers([name, '"public"."plain"'])).toBe(covered);
    expect(position.covers(undefined)).toBe(false);
  });
});

describe('the position is not known', () => {
  const tables = new Set(['"public"."plain"']);

  /** A database whose statements for positions return `rows` in turn; the last one is repeated. */
  function scripted(...rows: readonly (readonly (string | null)[] | Error)[]): Database {
    let next = 0;
    const query: Database['query'] = async ({ values }) => {
      const row =
        values.length > 0 ? [values.length === 1 ? 'joinery.nodes' : '1'] : rows[Math.min(next++, rows.length - 1)];
      if (row instanceof Error) throw row;
      return { rows: [[...(row ?? [])]], fields: [], rowCount: 1, command: 'SELECT' };
    };
    return { query, prepared: () => undefined } as unknown as Database;
  }

  async function positions(database: Database | undefined, count: number): Promise<readonly (string | undefined)[]> {
    const position = new SourcePosition(() => database, signal);
    const found: (string | undefined)[] = [];
    for (let number = 0; number < count; number += 1) found.push(await position.read(tables));
    return found;
  }

  test('after a change of the server, which may be one of several', async () => {
    const database = scripted(['1:1:', 'a', 't'], ['1:1:', 'a', 't'], ['1:1:', 'b', 't'], ['1:1:', 'b', 't']);
    expect(await positions(database, 4)).toEqual(['a 1', 'a 1', undefined, undefined]);
  });

  test('after an error', async () => {
    expect(await positions(scripted(new Error('no such function'), ['1:1:', 'a', 't']), 2)).toEqual([
      undefined,
      undefined,
    ]);
  });

  test('of another member of the PostgreSQL family, and of a standby that replays no log', async () => {
    expect(await positions(scripted(['1:1:', 'a', 'f']), 1)).toEqual([undefined]);
    expect(await positions(scripted([null, 'a', 't']), 1)).toEqual([undefined]);
  });

  test('while several servers are polled', async () => {
    expect(await positions(undefined, 1)).toEqual([undefined]);
  });
});

describe('the position of a server', () => {
  let pair: ServerPair;
  beforeAll(async () => {
    pair = await startServerPair('create table plain (id int)');
  }, 60_000);
  afterAll(() => pair.stop());

  const tables = new Set(['"public"."plain"']);

  test('is that of the replayed log on a standby, and another one after its promotion', async () => {
    const database = connect(pair.standby.url, 1);
    try {
      const position = new SourcePosition(() => database, signal);
      const first = await position.read(tables);
      expect(first).toMatch(/^true \S+ 1$/);
      expect(await position.read(tables)).toBe(first);
      await database.query({ text: 'select pg_promote()', values: [] });
      expect(await position.read(tables)).toBeUndefined();
      expect(await new SourcePosition(() => database, signal).read(tables)).toMatch(/^false \S+ 1$/);
    } finally {
      await database.close();
    }
  });
});
