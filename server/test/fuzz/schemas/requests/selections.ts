/** Random selections of rows and of what they are joined to: as GraphQL, and as SQL on the views of the role. */
import { equal, literal, quote } from '../tables/columns.ts';
import { seenName } from '../tables/database.ts';
import { type ComputedRows, type ComputedValue, USER } from '../tables/functions.ts';
import { NO_THING } from '../tables/joins.ts';
import { comparable, readable, readableValues, shuffled, type Table } from '../tables/schema.ts';
import { sqlName, typeName } from '../tables/sources.ts';
import { callOf, type Field, objectOf, pageOf, type Selection } from './pages.ts';
import { cellOf, computedRows, nextAlias, type Reading, type Related, relationsOf, tableAt, view } from './reading.ts';

/** The number of tables below that of a root field. */
export const MAX_DEPTH = 2;

export function list(
  reading: Reading,
  table: Table,
  name: string,
  field: string,
  base: (alias: string) => string,
  depth: number,
  given: readonly string[] = [],
): Field {
  const alias = nextAlias(reading);
  const page = pageOf(reading, table, given);
  const fields = selection(reading, table, alias, depth);
  return {
    name,
    graphql: `${name}: ${field}${page.graphql} { ${fields.graphql} }`,
    sql: `(select coalesce(json_agg(${fields.sql} order by ${page.order(alias)}), '[]') from ${page.from(alias, base)})`,
  };
}

export function aggregate(
  reading: Reading,
  table: Table,
  name: string,
  field: string,
  base: (alias: string) => string,
  depth: number,
  given: readonly string[] = [],
): Field {
  const { random, role } = reading;
  const alias = nextAlias(reading);
  const page = pageOf(reading, table, given);
  const columns = comparable(table, role);
  const ordered = columns.filter(({ kind }) => kind === 'int' || kind === 'numeric' || kind === 'date');
  const numbers = columns.filter(({ kind }) => kind === 'int' || kind === 'numeric');
  const parts: Field[] = [{ name: 'count', graphql: 'count', sql: 'count(*)' }];
  for (const [operation, of] of [
    ['sum', numbers],
    ['min', ordered],
    ['max', ordered],
  ] as const) {
    if (!random.oneIn(2)) continue;
    const chosen = random.some(of, 2);
    const pairs = chosen.map((one) => `${literal(one.field)}, ${operation}(${cellOf(alias, one)})`);
    parts.push({
      name: operation,
      graphql: `${operation} { ${chosen.map((one) => one.field).join(' ')} }`,
      sql: `json_build_object(${pairs.join()})`,
    });
  }
  if (random.oneIn(3)) {
    const columns = random.some(readable(table, role), 2);
    const list = columns.map((column) => cellOf(alias, column));
    parts.push({
      name: 'd',
      graphql: `d: count(columns: [${columns.map(({ field }) => field).join(', ')}], distinct: true)`,
      sql: `count(distinct (${list.join()}))`,
    });
  }
  const members: Field[] = [
    {
      name: 'aggregate',
      graphql: `aggregate { ${parts.map((part) => part.graphql).join(' ')} }`,
      sql: `json_build_object(${parts.map((part) => `${literal(part.name)}, ${part.sql}`).join()})`,
    },
  ];
  if (random.oneIn(3)) {
    const nodes = selection(reading, table, alias, depth + 1);
    members.push({
      name: 'nodes',
      graphql: `nodes { ${nodes.graphql} }`,
      sql: `coalesce(json_agg(${nodes.sql} order by ${page.order(alias)}), '[]')`,
    });
  }
  const whole = objectOf(reading, typeName(table, '_aggregate'), shuffled(random, members));
  return {
    name,
    graphql: `${name}: ${field}${page.graphql} { ${whole.graphql} }`,
    sql: `(select ${whole.sql} from ${page.from(alias, base)})`,
  };
}

export function selection(reading: Reading, table: Table, alias: string, depth: number): Selection {
  const { random, role } = reading;
  const columns = readable(table, role);
  const shown = depth > 0 && table === reading.changed ? columns : random.some(columns, 5);
  const fields: Field[] = shown.map((column, index) => ({
    name: `c${index}`,
    graphql: `c${index}: ${column.field}`,
    sql: cellOf(alias, column),
  }));
  const values = readableValues(table, role);
  if (values.length > 0 && !reading.plain && random.oneIn(2)) {
    fields.push(
      ...random.some(values, 2).map((value, index) => computedValue(reading, table, value, `v${index}`, alias)),
    );
  }
  if (random.oneIn(6)) fields.push({ name: '__typename', graphql: '__typename', sql: literal(typeName(table)) });
  if (depth < MAX_DEPTH) fields.push(...relatedFields(reading, table, alias, depth));
  if (table.joined && depth < MAX_DEPTH && random.oneIn(3)) {
    fields.push(...joinedFields(reading, `${alias}.owner`, depth));
  }
  return objectOf(reading, typeName(table), shuffled(random, fields));
}

/** `here`: the alias of the row. */
function computedValue(reading: Reading, table: Table, value: ComputedValue, name: string, here: string): Field {
  reading.uses.add('computed field');
  const { given, step } = callOf(reading, value);
  if (given.length === 0) return { name, graphql: `${name}: ${value.name}`, sql: `${here}.${value.name}` };
  reading.uses.add('argument of a computed field');
  const row = nextAlias(reading);
  const key = equal(
    table.primaryKey.map((column) => [column.name, column.name] as const),
    here,
    row,
  );
  return {
    name,
    graphql: `${name}: ${value.name}(${given.join()})`,
    sql: `(select ${value.sql(row, step, USER)} from ${sqlName(table)} ${row}
      where ${key} and ${here}.${quote(seenName(value))})`,
  };
}

function relatedFields(reading: Reading, table: Table, alias: string, depth: number): readonly Field[] {
  const { random } = reading;
  const possible = leadingBack(reading, [...relationsOf(reading, table), ...(reading.plain ? [] : table.rows)], depth);
  if (possible.length === 0) return [];
  const { changed } = reading;
  return random.some(possible, 2).flatMap((related, index): Field[] => {
    if (changed === undefined && random.oneIn(3)) return [];
    const name = `n${index}`;
    if ('kind' in related && related.target === changed) reading.uses.add('changed table through a relationship');
    if (!('kind' in related)) {
      reading.uses.add('rows of a computed field');
      const { given, step } = callOf(reading, related);
      const { target, field, on } = computedRows(reading, related, step);
      return [list(reading, target, name, field, (other) => on(alias, other), depth + 1, given)];
    }
    if (related.target.source !== table.source) reading.uses.add('relationship between sources');
    const base = (other: string): string => related.on(alias, other);
    if (related.kind === 'array') {
      return random.oneIn(3)
        ? [aggregate(reading, related.target, name, `${related.field}_aggregate`, base, depth)]
        : [list(reading, related.target, name, related.field, base, depth + 1)];
    }
    const inner = nextAlias(reading);
    const below = selection(reading, related.target, inner, depth + 1);
    const sql = `(select ${below.sql} from ${view(reading, related.target)} ${inner} where ${base(inner)})`;
    return [{ name, graphql: `${name}: ${related.field} { ${below.graphql} }`, sql }];
  });
}

type Below = Related | ComputedRows;

/** Returns those that lead back to the changed table in one or two steps, mostly; all if none does. */
function leadingBack(reading: Reading, all: readonly Below[], depth: number): readonly Below[] {
  const { random, changed } = reading;
  if (changed === undefined || random.oneIn(4)) return all;
  const leads = (one: Below): boolean => 'kind' in one && one.target === changed;
  const back = all.filter((one) => {
    if (leads(one)) return true;
    return depth + 1 < MAX_DEPTH && 'kind' in one && relationsOf(reading, one.target).some(leads);
  });
  return back.length > 0 ? back : all;
}

/** The root field that is an action. */
export function notesOf(reading: Reading, name: string): Field {
  reading.uses.add('action');
  const numbers = Array.from({ length: reading.random.below(5) }, () => reading.random.below(9));
  const x = nextAlias(reading);
  const fields = noteFields(reading, x, 0);
  const rows = numbers.map((n, at) => `(${n}, ${1 + (n % 2)}, ${at})`).join();
  const from = numbers.length === 0 ? '(select 0 as n, 0 as m, 0 as pos where false)' : `(values ${rows})`;
  return {
    name,
    graphql: `${name}: notes(ns: [${numbers.join(', ')}]) { ${fields.graphql} }`,
    sql: `(select coalesce(json_agg(${fields.sql} order by ${x}.pos), '[]') from ${from} ${x} (n, m, pos))`,
  };
}

/** Relationships of a row to the remote schema and to an action. `owner`: SQL. */
function joinedFields(reading: Reading, owner: string, depth: number): readonly Field[] {
  const { random } = reading;
  const [x, y] = [nextAlias(reading), nextAlias(reading)];
  const fields: Field[] = [];
  if (random.oneIn(2)) fields.push(thing(reading, 'j0', owner, depth));
  if (random.oneIn(2)) {
    reading.uses.add('relationship to an action');
    const below = noteFields(reading, x, depth);
    const from = `(select ${y}.n, 1 + abs(${y}.n) % 2 as m from (select ${owner} as n) ${y}) ${x}`;
    fields.push({
      ...{ name: 'j1', graphql: `j1: note { ${below.graphql} }` },
      sql: `(select ${below.sql} from ${from} where ${x}.n is not null)`,
    });
  }
  return fields;
}

/** A field `thing` or `next`. `number`: SQL. */
function thing(reading: Reading, name: string, number: string, depth: number, field = 'thing'): Field {
  reading.uses.add('relationship to a remote schema');
  const x = nextAlias(reading);
  const below = thingFields(reading, x, depth + 1);
  return {
    name,
    graphql: `${name}: ${field} { ${below.graphql} }`,
    sql: `(select ${below.sql} from (select ${number} as n) ${x} where ${x}.n is not null and ${x}.n <> ${NO_THING})`,
  };
}

/** `x`: the alias of a row with the column `n`. */
function thingFields(reading: Reading, x: string, depth: number): Selection {
  const { random } = reading;
  const n = `${x}.n`;
  const fields: Field[] = [];
  if (random.oneIn(2)) fields.push({ name: 'n', graphql: 'n', sql: n });
  const suffix = random.oneIn(2) ? '' : random.pick(['!', ' é']);
  const given = suffix === '' ? '' : `(suffix: ${JSON.stringify(suffix)})`;
  fields.push({ name: 'l', graphql: `l: label${given}`, sql: `'thing ' || ${n} || ${literal(suffix)}` });
  if (depth <= MAX_DEPTH) {
    if (random.oneIn(3)) fields.push(thing(reading, 'x', `${n} + 1`, depth, 'next'));
    if (random.oneIn(3)) {
      const [y, count] = [nextAlias(reading), random.below(3)];
      const below = thingFields(reading, y, depth + 1);
      const from = `(select ${n} + pos as n from generate_series(0, ${count - 1}) as pos) ${y}`;
      fields.push({
        name: 's',
        graphql: `s: several(count: ${count}) { ${below.graphql} }`,
        sql: `(select coalesce(json_agg(${below.sql} order by ${y}.n), '[]') from ${from})`,
      });
    }
    if (random.oneIn(2)) fields.push(near(reading, n, depth));
  }
  return objectOf(reading, 'Thing', shuffled(random, fields));
}

/** `x`: the alias of a row with the columns `n` and `m`. */
function noteFields(reading: Reading, x: string, depth: number): Selection {
  const { random, schema } = reading;
  const fields: Field[] = random.some(['n', 'm'], 2).map((name) => ({ name, graphql: name, sql: `${x}.${name}` }));
  if (depth <= MAX_DEPTH) {
    if (random.oneIn(2)) fields.push(near(reading, `${x}.n`, depth));
    if (random.oneIn(3)) fields.push(thing(reading, 't', `${x}.n`, depth));
    if (random.oneIn(2)) {
      const table = tableAt(reading, schema.joined);
      const alias = nextAlias(reading);
      const below = selection(reading, table, alias, depth + 1);
      const on = table.primaryKey
        .map(({ name }) => `${alias}.${name} = ${x}.${name === 'id' ? 'n' : 'm'}`)
        .join(' and ');
      fields.push({
        name: 'r',
        graphql: `r: row { ${below.graphql} }`,
        sql: `(select ${below.sql} from ${view(reading, table)} ${alias} where ${on})`,
      });
    }
  }
  return objectOf(reading, 'Note', shuffled(random, fields));
}

/** The rows whose owner has that number. */
function near(reading: Reading, number: string, depth: number): Field {
  reading.uses.add('relationship to a table from another type');
  const table = tableAt(reading, reading.schema.joined);
  const base = (alias: string): string => `${alias}.owner = ${number}`;
  return reading.random.oneIn(3)
    ? aggregate(reading, table, 'g', 'near_aggregate', base, depth)
    : list(reading, table, 'g', 'near', base, depth + 1);
}
