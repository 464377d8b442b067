/** Random reads of a random schema: as GraphQL, and as SQL on the views of the role, which returns the expected JSON. */
import type { Random } from '../random.ts';
import { type Column, literal, quote } from './columns.ts';
import { type Condition, randomCondition } from './rules.ts';
import { type Role, readable, type Schema, type Table } from './schema.ts';

export interface Read {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
  /** The declarations of the variables, such as `($w1: plain_bool_exp)`; empty without variables. */
  readonly declarations: string;
  /** The fields of the operation, without its braces. */
  readonly fields: string;
  /** Returns one row with one column, the JSON of `data`. */
  readonly sql: string;
}

/** The state of generating one read. */
interface Writing {
  readonly random: Random;
  readonly schema: Schema;
  readonly role: Role;
  readonly variables: Map<string, { readonly type: string; readonly value: unknown }>;
  aliases: number;
}

/** A part of a selection and the SQL expression of its value. */
interface Field {
  readonly name: string;
  readonly graphql: string;
  readonly sql: string;
}

interface Page {
  readonly graphql: string;
  /** Selects the rows as `alias`. */
  readonly from: (alias: string, base: (alias: string) => string) => string;
  readonly order: (alias: string) => string;
}

const MAX_DEPTH = 2;

export function randomRead(random: Random, schema: Schema, role: Role): Read {
  const writing: Writing = { random, schema, role, variables: new Map(), aliases: 0 };
  const table = random.pick(schema.tables);
  const root = rootOf(writing, table);
  const declared = [...writing.variables].map(([name, { type }]) => `$${name}: ${type}`);
  const declarations = declared.length === 0 ? '' : `(${declared.join(', ')})`;
  return {
    query: `query read${declarations} { ${root.graphql} }`,
    declarations,
    fields: root.graphql,
    variables: Object.fromEntries([...writing.variables].map(([name, { value }]) => [name, value])),
    sql: `select json_build_object(${literal(root.name)}, ${root.sql})`,
  };
}

function rootOf(writing: Writing, table: Table): Field {
  const { random } = writing;
  const name = `r${random.below(3)}`;
  if (random.oneIn(5)) {
    const id = random.below(18);
    const alias = nextAlias(writing);
    const fields = selection(writing, table, alias, 0);
    const key = table.columns[0]?.field ?? 'id';
    return {
      name,
      graphql: `${name}: ${table.type}_by_pk(${key}: ${id}) { ${fields.graphql} }`,
      sql: `(select ${fields.sql} from ${view(writing, table)} ${alias} where ${alias}.id = ${id})`,
    };
  }
  return random.oneIn(4)
    ? aggregate(writing, table, name, `${table.type}_aggregate`, () => 'true')
    : list(writing, table, name, table.type, () => 'true', 0);
}

function list(
  writing: Writing,
  table: Table,
  name: string,
  field: string,
  base: (alias: string) => string,
  depth: number,
): Field {
  const alias = nextAlias(writing);
  const page = pageOf(writing, table);
  const fields = selection(writing, table, alias, depth);
  return {
    name,
    graphql: `${name}: ${field}${page.graphql} { ${fields.graphql} }`,
    sql: `(select coalesce(json_agg(${fields.sql} order by ${page.order(alias)}), '[]') from ${page.from(alias, base)})`,
  };
}

function aggregate(
  writing: Writing,
  table: Table,
  name: string,
  field: string,
  base: (alias: string) => string,
): Field {
  const { random, role } = writing;
  const alias = nextAlias(writing);
  const page = pageOf(writing, table);
  const columns = readable(table, role, true);
  const comparable = columns.filter(({ kind }) => kind === 'int' || kind === 'numeric' || kind === 'date');
  const numbers = columns.filter(({ kind }) => kind === 'int' || kind === 'numeric');
  const parts: Field[] = [{ name: 'count', graphql: 'count', sql: 'count(*)' }];
  for (const [operation, of] of [
    ['sum', numbers],
    ['min', comparable],
    ['max', comparable],
  ] as const) {
    if (!random.oneIn(2)) continue;
    const chosen = random.some(of, 2);
    const pairs = chosen.map((one) => `${literal(one.field)}, ${operation}(${alias}.${quote(one.name)})`);
    parts.push({
      name: operation,
      graphql: `${operation} { ${chosen.map((one) => one.field).join(' ')} }`,
      sql: `json_build_object(${pairs.join()})`,
    });
  }
  const values = parts.map((part) => `${literal(part.name)}, ${part.sql}`).join();
  return {
    name,
    graphql: `${name}: ${field}${page.graphql} { aggregate { ${parts.map((part) => part.graphql).join(' ')} } }`,
    sql: `(select json_build_object('aggregate', json_build_object(${values})) from ${page.from(alias, base)})`,
  };
}

/** The arguments of a list. The order is total. */
function pageOf(writing: Writing, table: Table): Page {
  const { random, role } = writing;
  const columns = readable(table, role, true);
  const condition = random.oneIn(3) ? undefined : randomCondition(random, columns);
  const distinct = random.oneIn(6) ? random.pick(columns) : undefined;
  const terms: [Column, boolean][] = distinct === undefined ? [] : [[distinct, random.oneIn(2)]];
  if (random.oneIn(2)) terms.push([random.pick(columns), random.oneIn(2)]);
  const [id] = table.columns;
  if (id !== undefined) terms.push([id, random.oneIn(2)]);
  const limit = random.oneIn(3) ? random.below(6) : undefined;
  const offset = random.oneIn(4) ? random.below(4) : undefined;
  const given = [
    ...(condition === undefined ? [] : [`where: $${variable(writing, table, condition)}`]),
    ...(distinct === undefined ? [] : [`distinct_on: [${distinct.field}]`]),
    `order_by: [${terms.map(([column, down]) => `{ ${column.field}: ${down ? 'desc' : 'asc'} }`).join(', ')}]`,
    ...(limit === undefined ? [] : [`limit: ${limit}`]),
    ...(offset === undefined ? [] : [`offset: ${offset}`]),
  ];
  // Nulls are last in ascending and first in descending order in PostgreSQL, too.
  const order = (alias: string): string =>
    terms.map(([column, down]) => `${alias}.${quote(column.name)} ${down ? 'desc' : 'asc'}`).join();
  const unique = distinct === undefined ? '' : `distinct on (i.${quote(distinct.name)})`;
  const page = `${limit === undefined ? '' : `limit ${limit}`} ${offset === undefined ? '' : `offset ${offset}`}`;
  return {
    graphql: `(${given.join(', ')})`,
    order,
    from: (alias, base) => {
      const where = `(${base('i')}) and (${condition?.sql('i') ?? 'true'})`;
      return `(select ${unique} * from ${view(writing, table)} i where ${where} order by ${order('i')} ${page}) ${alias}`;
    },
  };
}

function variable({ variables }: Writing, table: Table, { json }: Condition): string {
  const name = `w${variables.size}`;
  variables.set(name, { type: `${table.type}_bool_exp!`, value: json });
  return name;
}

function selection(
  writing: Writing,
  table: Table,
  alias: string,
  depth: number,
): { readonly graphql: string; readonly sql: string } {
  const { random, role, schema } = writing;
  const fields: Field[] = random.some(readable(table, role), 5).map((column, index) => ({
    name: `c${index}`,
    graphql: `c${index}: ${column.field}`,
    sql: `${alias}.${quote(column.name)}`,
  }));
  if (table.doubled !== undefined && random.oneIn(3)) {
    fields.push({ name: 'twice', graphql: 'twice', sql: `${alias}.twice` });
  }
  if (random.oneIn(6)) fields.push({ name: '__typename', graphql: '__typename', sql: literal(table.type) });
  const relations = depth < MAX_DEPTH && table.relations.length > 0 ? random.some(table.relations, 2) : [];
  for (const [index, relation] of relations.entries()) {
    if (random.oneIn(3)) continue;
    const target = schema.tables[relation.target];
    if (target === undefined) continue;
    const [here, there] = relation.on.map(quote);
    const base = (other: string): string => `${other}.${there} = ${alias}.${here}`;
    const name = `n${index}`;
    if (!relation.many) {
      const inner = nextAlias(writing);
      const below = selection(writing, target, inner, depth + 1);
      fields.push({
        name,
        graphql: `${name}: ${relation.field} { ${below.graphql} }`,
        sql: `(select ${below.sql} from ${view(writing, target)} ${inner} where ${base(inner)})`,
      });
    } else if (random.oneIn(3)) {
      fields.push(aggregate(writing, target, name, `${relation.field}_aggregate`, base));
    } else fields.push(list(writing, target, name, relation.field, base, depth + 1));
  }
  return {
    graphql: fields.map(({ graphql }) => graphql).join(' '),
    sql: `json_build_object(${fields.map(({ name, sql }) => `${literal(name)}, ${sql}`).join()})`,
  };
}

function nextAlias(writing: Writing): string {
  writing.aliases += 1;
  return `t${writing.aliases}`;
}

function view({ role }: Writing, { name }: Table): string {
  return `seen_${role}.${quote(name)}`;
}
