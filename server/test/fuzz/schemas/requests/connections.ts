/** Random connections of the Relay schema: as GraphQL, and as SQL on the views of the role. */
import type { Random } from '../../random.ts';
import { literal } from '../tables/columns.ts';
import { type Role, readable, type Schema, shuffled, type Table } from '../tables/schema.ts';
import { inNamespace, rootField, typeName } from '../tables/sources.ts';
import { randomCondition } from './conditions.ts';
import { randomOrder } from './orders.ts';
import { type Field, objectOf, type Selection } from './pages.ts';
import { cellOf, newReading, nextAlias, type Reading, relationsOf, variable, view } from './reading.ts';

export interface Connection {
  /** Returns the query of the page with these arguments, such as `first: 2`. */
  readonly page: (given: string) => string;
  /** A query of a row by its global id, the variable `$id`. */
  readonly node: string;
  readonly variables: Readonly<Record<string, unknown>>;
  /** The names in the response that lead to the connection. */
  readonly path: readonly string[];
  /** Returns the JSON of all nodes in order. */
  readonly sql: string;
}

export function randomConnection(random: Random, schema: Schema, role: Role): Connection {
  const reading = newReading(random, schema, role);
  const table = random.pick(schema.tables);
  const condition = random.oneIn(3) ? undefined : randomCondition(reading, table);
  const order = randomOrder(reading, table);
  const where = variable(reading, `${typeName(table, '_bool_exp')}!`, condition?.json ?? {});
  const alias = nextAlias(reading);
  const row = nextAlias(reading);
  const fields = nodeSelection(reading, table, alias);
  const { namespace } = table.source;
  const field = rootField(table, '', '_connection');
  const declared = [...reading.variables].map(([name, { type }]) => `$${name}: ${type}`).join(', ');
  const rows = `(select ${order.distinct(row)} * from ${view(reading, table)} ${row} where ${condition?.sql(row) ?? 'true'} order by ${order.terms(row)}) ${alias}`;
  const fragments = reading.fragments.join(' ');
  return {
    page: (given) => {
      const selected = `c: ${field}(${[`where: ${where}`, ...order.given, given].join(', ')}) {
        pageInfo { startCursor endCursor hasNextPage hasPreviousPage } edges { cursor node { key: id ${fields.graphql} } } }`;
      return `query (${declared}) { ${inNamespace(namespace, selected)} } ${fragments}`;
    },
    node: `query ($id: ID!) { node(id: $id) { key: id ... on ${typeName(table)} { ${fields.graphql} } } } ${fragments}`,
    variables: Object.fromEntries([...reading.variables].map(([name, { value }]) => [name, value])),
    path: [...(namespace === undefined ? [] : [namespace]), 'c'],
    sql: `select coalesce(json_agg(${fields.sql} order by ${order.terms(alias)}), '[]') from ${rows}`,
  };
}

/** Columns of the row, and of rows that it refers to. The field `id` of a node is its global id. */
function nodeSelection(reading: Reading, table: Table, alias: string): Selection {
  const { random } = reading;
  const fields = columnsOf(reading, table, alias);
  const parents = relationsOf(reading, table).filter(
    ({ kind, target }) => kind === 'object' && target.source === table.source,
  );
  if (parents.length > 0 && random.oneIn(2)) {
    const parent = random.pick(parents);
    const other = nextAlias(reading);
    const below = objectOf(reading, typeName(parent.target), columnsOf(reading, parent.target, other));
    fields.push({
      name: 'p',
      graphql: `p: ${parent.field} { ${below.graphql} }`,
      sql: `(select ${below.sql} from ${view(reading, parent.target)} ${other} where ${parent.on(alias, other)})`,
    });
  }
  return objectOf(reading, typeName(table), shuffled(random, fields));
}

function columnsOf(reading: Reading, table: Table, alias: string): Field[] {
  const columns = readable(table, reading.role).filter(({ field }) => field !== 'id');
  return [
    { name: '__typename', graphql: '__typename', sql: literal(typeName(table)) },
    ...reading.random.some(columns, 4).map((column, index) => {
      return { name: `c${index}`, graphql: `c${index}: ${column.field}`, sql: cellOf(alias, column) };
    }),
  ];
}
