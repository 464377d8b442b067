/**
 * Random nested inserts, upserts and updates of restricted roles whose key columns have presets. The tables are compared
 * with the rows that the permissions allow, computed in memory (model.ts). `FUZZ_SEED=<number>` selects other requests,
 * `FUZZ_SEED=random` new ones on each run; a failure reports its seed.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../../support/database/test-database.ts';
import { type Engine, startEngine } from '../../support/service/engine.ts';
import { difference } from '../compare.ts';
import { randomFrom } from '../random.ts';
import { generateWrite, generateWriter } from './generate.ts';
import { codes } from './model.ts';
import {
  type Row,
  type Rows,
  resetSql,
  sessionOf,
  tableNames,
  type Writer,
  writeMetadata,
  writeSql,
} from './tables.ts';

const WRITES = 1_500;
/** The number of writes after which the tables are reset. */
const ROUND = 40;

const seedSetting = process.env.FUZZ_SEED ?? '1';
const seed = seedSetting === 'random' ? Math.floor(Math.random() * 1_000_000) : Number(seedSetting);

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

/** Runs one write. Returns the rows afterwards and the outcome. */
async function write(number: number, before: Rows): Promise<{ readonly rows: Rows; readonly result: string }> {
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
      return { rows, result: outcome.message };
    }
    expect(errors).toBeUndefined();
    expect(difference(outcome.data, data)).toBeUndefined();
    expect(sorted(rows)).toEqual(sorted(outcome.rows));
    return { rows, result: 'stored' };
  } catch (error) {
    const shown = `${JSON.stringify(writer)} ${query}\n${JSON.stringify(variables)}\n${body}`;
    throw new Error(`FUZZ_SEED=${seed}, number ${number}: ${String(error)}\n${shown}`, { cause: error });
  }
}

test('writes store presets and permitted values, or nothing', { timeout: 0 }, async () => {
  const counts = new Map<string, number>();
  let rows = await readRows();
  for (let number = 0; number < WRITES; number += 1) {
    if (number % ROUND === 0) {
      await db.database.query({ text: resetSql, values: [] });
      rows = await readRows();
    }
    const result = await write(number, rows);
    rows = result.rows;
    counts.set(result.result, (counts.get(result.result) ?? 0) + 1);
  }
  // Both outcomes must occur in a sufficient number of requests.
  expect(counts.get('stored')).toBeGreaterThan(WRITES / 5);
  expect(counts.get('preset')).toBeGreaterThan(WRITES / 50);
});
