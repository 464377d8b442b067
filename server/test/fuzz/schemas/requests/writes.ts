/** Random writes of a random schema: as GraphQL, and as SQL on the tables with the rules of the permission. */
import { Unordered } from '../../oracle.ts';
import type { Random } from '../../random.ts';
import { literal, quote } from '../tables/columns.ts';
import { seenName } from '../tables/database.ts';
import { DEFAULT_STEP, USER } from '../tables/functions.ts';
import type { Schema, Table } from '../tables/schema.ts';
import { inNamespace, rootField, type Source, sqlName } from '../tables/sources.ts';
import { randomCondition } from './conditions.ts';
import { callOf } from './pages.ts';
import { type Feature, newReading, type Reading, tableAt } from './reading.ts';
import { MAX_DEPTH, selection } from './selections.ts';
import { type Step, writers } from './writers.ts';

/** Runs a statement and returns its first value as text. */
export type Query = (text: string) => Promise<string>;

export interface Write {
  readonly kind: Kind;
  readonly source: Source;
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly uses: ReadonlySet<Feature>;
  /**
   * Makes the same changes in SQL, and returns the expected result; undefined if a row violates a check. Rejects if a row violates
   * a constraint. Rows to which a check relates have the state before the statement, as in the product and in Hasura v2.
   */
  readonly run: (query: Query) => Promise<unknown>;
}

export const kinds = ['insert', 'nested', 'upsert', 'update', 'delete', 'function'] as const;
export type Kind = (typeof kinds)[number];

export function randomWrite(random: Random, schema: Schema, role: 'one' | 'two', user: number): Write {
  const kind = random.pick(kinds);
  if (kind === 'function') return callWrite(random, schema, role);
  const table = random.pick(schema.tables);
  const reading = newReading(random, schema, role);
  const condition = randomCondition(reading, table);
  const permitted = table.grants[role].rule.sql('t', schema.tables);
  const written = writers[kind]({ random, schema, user, table, permitted, condition });
  const { declared, field, given, steps } = written;
  const main = written.main ?? steps.at(-1);
  reading.changed = table;
  reading.plain = !random.oneIn(3);
  const returning = kind !== 'delete' && !random.oneIn(4) ? selection(reading, table, 'x', 0) : undefined;
  const members = returning === undefined ? '' : `returning { ${returning.graphql} }`;
  return {
    kind,
    ...operation(reading, table, declared, given, `${field} { affected_rows ${members} }`),
    run: async (query) => {
      let affected_rows = 0;
      let keys: unknown = [];
      for (const step of steps) {
        const [count, violations, changed] = JSON.parse(await query(countedSql(step, schema, role, kind))) as Outcome;
        if (violations > 0) return undefined;
        affected_rows += count;
        if (step === main) keys = changed ?? [];
      }
      if (returning === undefined) return { affected_rows };
      const rows = withComputed(table, sqlName(table), `where ${isAmong(table, JSON.stringify(keys))}`);
      const list = await query(`select coalesce(json_agg(${returning.sql}), '[]') from ${rows} x`);
      return { affected_rows, returning: new Unordered(JSON.parse(list) as unknown[]) };
    },
  };
}

/** A call of a function that changes rows. The rows that the role may see are returned. */
function callWrite(random: Random, schema: Schema, role: 'one' | 'two'): Write {
  const reading = newReading(random, schema, role);
  const called = random.pick(schema.changers);
  const table = tableAt(reading, called.target);
  const { given, step } = callOf(reading, called);
  // Rows of other tables would have the state before the call or after it, which PostgreSQL does not specify.
  const selected = selection(reading, table, 'x', MAX_DEPTH);
  const order = table.primaryKey.map(({ field }) => `{ ${field}: asc }`).join(', ');
  const field = rootField({ source: table.source, type: called.name });
  const passed = [
    ...(given.length === 0 ? [] : [`step => ${step}`]),
    ...(called.session ? [`s => json_build_object('x-service-user-id', ${USER}::text)`] : []),
  ];
  const seen = table.grants[role].rule.sql('t', schema.tables);
  const call = `select coalesce(json_agg(json_build_object(${keyPairs(table)})), '[]') from ${quote(called.name)}(${passed.join()}) t where ${seen}`;
  return {
    kind: 'function',
    ...operation(
      reading,
      table,
      [],
      {},
      `${field}(${[...given, `order_by: [${order}]`].join(', ')}) { ${selected.graphql} }`,
    ),
    run: async (query) => {
      const rows = withComputed(table, sqlName(table), `where ${isAmong(table, await query(call))}`);
      const key = table.primaryKey.map(({ name }) => `x.${quote(name)}`).join();
      const list = await query(`select coalesce(json_agg(${selected.sql} order by ${key}), '[]') from ${rows} x`);
      return JSON.parse(list) as unknown;
    },
  };
}

/** Returns the mutation with this root field. */
function operation(
  { variables, fragments, uses }: Reading,
  { source }: Table,
  declared: readonly string[],
  given: Readonly<Record<string, unknown>>,
  field: string,
): Pick<Write, 'source' | 'query' | 'variables' | 'uses'> {
  const all = [...declared, ...[...variables].map(([name, { type }]) => `$${name}: ${type}`)];
  const head = all.length === 0 ? 'mutation' : `mutation (${all.join(', ')})`;
  return {
    ...{ source, uses },
    query: `${head} { ${inNamespace(source.namespace, `w: ${field}`)} } ${fragments.join(' ')}`,
    variables: { ...given, ...Object.fromEntries([...variables].map(([name, { value }]) => [name, value])) },
  };
}

/** The number of changed rows, the number of those that violate the check, and their keys. */
type Outcome = readonly [changed: number, violations: number, keys: readonly unknown[] | null];

/** Returns the statement with its outcome as JSON. */
function countedSql({ table, sql }: Step, { tables }: Schema, role: 'one' | 'two', kind: Kind): string {
  const violated = kind === 'delete' ? 'false' : `(${table.grants[role].check.sql('t', tables)}) is not true`;
  const keys = `json_agg(json_build_object(${keyPairs(table)}))`;
  return `${sql} select json_build_array(count(*), count(*) filter (where ${violated}), ${keys}) from changed t`;
}

function keyPairs({ primaryKey }: Table): string {
  return primaryKey.map(({ name }) => `${literal(name)}, ${quote(name)}`).join();
}

/** Returns rows of the table with their computed fields, as the columns of a view. `rows` are named `t` in the clause. */
function withComputed(table: Table, rows: string, clause: string): string {
  const values = table.values.map(
    (value) => `, ${value.sql('t', DEFAULT_STEP, USER)} as ${value.name}, true as ${quote(seenName(value))}`,
  );
  return `(select t.*${values.join('')} from ${rows} t ${clause})`;
}

/** Returns whether the row `t` has one of these keys, a JSON list of objects. */
function isAmong({ primaryKey }: Table, keys: string): string {
  const names = primaryKey.map(({ name }) => quote(name));
  const types = names.map((name) => `${name} int`).join();
  const listed = `select ${names.join()} from json_to_recordset(${literal(keys)}) k (${types})`;
  return `(${names.map((name) => `t.${name}`).join()}) in (${listed})`;
}
