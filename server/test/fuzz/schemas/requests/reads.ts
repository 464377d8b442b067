/** Random reads of a random schema: as GraphQL, and as SQL on the views of the role, which returns the expected JSON. */
import type { Random } from '../../random.ts';
import { literal } from '../tables/columns.ts';
import { lastOf } from '../tables/database.ts';
import { type RootFunction, USER } from '../tables/functions.ts';
import { type Role, type Schema, shuffled, type Table } from '../tables/schema.ts';
import { inNamespace, rootField, type Source, sqlName } from '../tables/sources.ts';
import { callOf, type Field, number } from './pages.ts';
import { cellOf, type Feature, newReading, nextAlias, type Reading, tableAt, view } from './reading.ts';
import { aggregate, list, notesOf, selection } from './selections.ts';

export interface Read {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
  /** The same as a subscription; undefined for an action. */
  readonly subscription: string | undefined;
  readonly uses: ReadonlySet<Feature>;
  /** Returns one row with one column, the JSON of `data`. */
  readonly sql: string;
}

export function randomRead(random: Random, schema: Schema, role: Role): Read {
  const reading = newReading(random, schema, role);
  const roots = [rootOf(reading, 'r0'), ...(random.oneIn(4) ? [rootOf(reading, 'r1')] : [])];
  const selected = roots.map(({ source, field }) => inNamespace(source?.namespace, field.graphql)).join(' ');
  const declared = [...reading.variables].map(([name, { type }]) => `$${name}: ${type}`);
  const operation = `read${declared.length === 0 ? '' : `(${declared.join(', ')})`} { ${selected} }`;
  const fragments = reading.fragments.map((fragment) => ` ${fragment}`).join('');
  const subscribed = roots.length === 1 && roots[0]?.source !== undefined;
  return {
    query: `query ${operation}${fragments}`,
    subscription: subscribed ? `subscription ${operation}${fragments}` : undefined,
    variables: Object.fromEntries([...reading.variables].map(([name, { value }]) => [name, value])),
    uses: reading.uses,
    sql: `select ${dataOf(roots)}`,
  };
}

interface Root {
  /** Undefined for an action. */
  readonly source: Source | undefined;
  readonly field: Field;
}

/** Returns the SQL of an object with the fields. Those of one namespace are members of one object. */
function dataOf(roots: readonly Root[]): string {
  const members = new Map<string, string>();
  const pair = ({ field }: Root): string => `${literal(field.name)}, ${field.sql}`;
  for (const root of roots) {
    const namespace = root.source?.namespace;
    if (namespace === undefined) members.set(root.field.name, pair(root));
    else {
      const inside = roots.filter(({ source }) => source?.namespace === namespace).map(pair);
      members.set(namespace, `${literal(namespace)}, json_build_object(${inside.join()})`);
    }
  }
  return `json_build_object(${[...members.values()].join()})`;
}

function rootOf(reading: Reading, name: string): Root {
  const { random, schema } = reading;
  if (random.oneIn(10)) return { source: undefined, field: notesOf(reading, name) };
  const called = random.oneIn(5) ? random.pick(schema.functions) : undefined;
  const table = called === undefined ? random.pick(schema.tables) : tableAt(reading, called.target);
  const { source } = table;
  if (source.name === 'other') reading.uses.add('second source');
  if (source.namespace !== undefined) reading.uses.add('namespace');
  if (called !== undefined) return { source, field: ofFunction(reading, called, table, name) };
  if (random.oneIn(5)) return { source, field: byKey(reading, table, name) };
  const every = (): string => 'true';
  const field = random.oneIn(4)
    ? aggregate(reading, table, name, rootField(table, '', '_aggregate'), every, 0)
    : list(reading, table, name, rootField(table), every, 0);
  return { source, field };
}

/** The rows that a function returns, of those that the role may see. */
function ofFunction(reading: Reading, root: RootFunction, table: Table, name: string): Field {
  const { random } = reading;
  const named = { source: table.source, type: root.name };
  reading.uses.add('function');
  const { given, step } = callOf(reading, root);
  const base = (alias: string): string => root.sql(alias, step, USER);
  if (!root.single) {
    return random.oneIn(3)
      ? aggregate(reading, table, name, rootField(named, '', '_aggregate'), base, 0, given)
      : list(reading, table, name, rootField(named), base, 0, given);
  }
  const [alias, row] = [nextAlias(reading), nextAlias(reading)];
  const fields = selection(reading, table, alias, 0);
  const key = (of: string): string => table.primaryKey.map((column) => cellOf(of, column)).join();
  const found = `select ${key(row)} from ${sqlName(table)} ${row} where ${base(row)} ${lastOf(table, row)}`;
  return {
    name,
    graphql: `${name}: ${rootField(named)}${given.length === 0 ? '' : `(${given.join()})`} { ${fields.graphql} }`,
    sql: `(select ${fields.sql} from ${view(reading, table)} ${alias} where (${key(alias)}) in (${found}))`,
  };
}

function byKey(reading: Reading, table: Table, name: string): Field {
  const { random } = reading;
  const alias = nextAlias(reading);
  const fields = selection(reading, table, alias, 0);
  const key = shuffled(random, table.primaryKey).map((column) => {
    return { column, value: random.below((column.keysTo ?? 0) + 2) };
  });
  if (key.length > 1) reading.uses.add('composite key');
  const given = key.map(({ column, value }) => `${column.field}: ${number(reading, value)}`).join(', ');
  const where = key.map(({ column, value }) => `${cellOf(alias, column)} = ${value}`).join(' and ');
  return {
    name,
    graphql: `${name}: ${rootField(table, '', '_by_pk')}(${given}) { ${fields.graphql} }`,
    sql: `(select ${fields.sql} from ${view(reading, table)} ${alias} where ${where})`,
  };
}
