/**
 * Random nested inserts, upserts and updates of restricted roles whose key columns have presets. The tables afterwards
 * are compared with what the permissions allow, computed in memory (fuzz/write-model.ts). `FUZZ_SEED=<number>` makes other
 * requests, `FUZZ_SEED=random` others each time; a failure reports its seed.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../../support/database/test-database.ts';
import { type Engine, startEngine } from '../../support/service/engine.ts';
import { difference } from '../compare.ts';
import { randomFrom } from '../random.ts';
import { generateWrite, generateWriter } from './generate.ts';
import { codes } from './model.ts';
import { type Row, type Rows, resetSql, sessionOf, tableNames, type Writer, writeMetadata, writeSql } from './world.ts';

const WRITES = 1_500;
/** The tables are filled again so often. */
const ROUND = 40;

const asked = process.env.FUZZ_SEED ?? '1';
const seed = asked === 'random' ? Math.floor(Math.random() * 1_000_000) : Number(asked);

let db: TestDatabase;
let engine: Engine;
beforeAll(async () => {
  expect(Number.isInteger(seed), 'FUZZ_SEED is a whole number, or random').toBe(true);
  db = await testDatabase({ sql: writeSql });
  engine = await startEngine({ metadata: writeMetadata, databases: { default: db.database } });
  expect(engine.inconsistencies).toEqual([]);
});
afterAll(async () => {
  await engine?.close();
  await db?.drop();
});

async function readRows(): Promise<Rows> {
  const lists = tableNames.map((name) => `(select coalesce(json_agg(t), '[]') from ${name} t)`);
  const { rows } = await db.database.query({ text: `select ${lists.join(', ')}`, values: [] });
  return Object.fromEntries(
    tableNames.map((name, index) => [name, JSON.parse(rows[0]?.[index] ?? '[]') as readonly Row[]]),
  ) as Rows;
}

function sorted(rows: Rows): readonly string[] {
  return tableNames.flatMap((name) => rows[name].map((row) => `${name} ${JSON.stringify(row)}`).sort());
}

interface Body {
  readonly data?: unknown;
  readonly errors?: readonly { readonly message: string; readonly extensions: { readonly code: string } }[];
}

/** Runs one write and returns how it ended. */
async function write(number: number, before: Rows): Promise<{ readonly rows: Rows; readonly ended: string }> {
  const random = randomFrom(seed * 7_919 + number * 15_485_863);
  const writer: Writer = generateWriter(random);
  const { query, variables, outcome } = generateWrite(random, writer, before);
  const { body } = await engine.execute({ query, variables, role: writer.role, session: sessionOf(writer) });
  const { data, errors } = JSON.parse(body) as Body;
  const rows = await readRows();
  try {
    if (outcome instanceof Error) {
      expect(codes).toContain(errors?.[0]?.extensions.code);
      expect(sorted(rows)).toEqual(sorted(before));
      return { rows, ended: outcome.message };
    }
    expect(errors).toBeUndefined();
    expect(difference(outcome.data, data)).toBeUndefined();
    expect(sorted(rows)).toEqual(sorted(outcome.rows));
    return { rows, ended: 'stored' };
  } catch (error) {
    const shown = `${JSON.stringify(writer)} ${query}\n${JSON.stringify(variables)}\n${body}`;
    throw new Error(`FUZZ_SEED=${seed}, number ${number}: ${String(error)}\n${shown}`, { cause: error });
  }
}

test('writes store presets and what the permissions allow, or nothing', { timeout: 0 }, async () => {
  const ends = new Map<string, number>();
  let rows = await readRows();
  for (let number = 0; number < WRITES; number += 1) {
    if (number % ROUND === 0) {
      await db.database.query({ text: resetSql, values: [] });
      rows = await readRows();
    }
    const result = await write(number, rows);
    rows = result.rows;
    ends.set(result.ended, (ends.get(result.ended) ?? 0) + 1);
  }
  // Requests that all end alike would prove nothing.
  expect(ends.get('stored')).toBeGreaterThan(WRITES / 5);
  expect(ends.get('preset')).toBeGreaterThan(WRITES / 50);
});
