/** Random streams of rows: as a subscription, and as SQL on the views of the role. */
import type { Random } from '../../random.ts';
import { type Column, values } from '../tables/columns.ts';
import { type Role, readable, type Schema, type Table } from '../tables/schema.ts';
import { inNamespace, rootField, typeName } from '../tables/sources.ts';
import { randomCondition } from './conditions.ts';
import { cellOf, newReading, nextAlias, variable, view } from './reading.ts';
import { selection } from './selections.ts';
import { typed } from './values.ts';

export interface Stream {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
  /** The names in the response that lead to the rows. */
  readonly path: readonly string[];
  readonly batchSize: number;
  /** Returns the JSON of all rows after the first value of the cursor, in its order: a list of a value and a row. */
  readonly sql: string;
}

export function randomStream(random: Random, schema: Schema, role: Role): Stream {
  const reading = newReading(random, schema, role);
  const table = random.pick(schema.tables);
  const column = random.pick(cursors(table, role));
  const [first, batchSize, isDescending] = [firstValue(random, column), 1 + random.below(5), random.oneIn(2)];
  const condition = random.oneIn(2) ? undefined : randomCondition(reading, table);
  const cursor = variable(reading, `${typeName(table, '_stream_cursor_value_input')}!`, { [column.field]: first });
  const given = [
    `batch_size: ${batchSize}`,
    `cursor: { initial_value: ${cursor}${isDescending ? ', ordering: DESC' : ''} }`,
    ...(condition === undefined
      ? []
      : [`where: ${variable(reading, `${typeName(table, '_bool_exp')}!`, condition.json)}`]),
  ];
  const alias = nextAlias(reading);
  const fields = selection(reading, table, alias, 1);
  const { namespace } = table.source;
  const selected = `s: ${rootField(table, '', '_stream')}(${given.join(', ')}) { ${fields.graphql} }`;
  const declared = [...reading.variables].map(([name, { type }]) => `$${name}: ${type}`).join(', ');
  const cell = cellOf(alias, column);
  const after = `${cell} ${isDescending ? '<' : '>'} ${typed(column, first)} and (${condition?.sql(alias) ?? 'true'})`;
  const order = `${cell} ${isDescending ? 'desc' : 'asc'}`;
  return {
    query: `subscription stream(${declared}) { ${inNamespace(namespace, selected)} } ${reading.fragments.join(' ')}`,
    variables: Object.fromEntries([...reading.variables].map(([name, { value }]) => [name, value])),
    path: [...(namespace === undefined ? [] : [namespace]), 's'],
    batchSize,
    sql: `select coalesce(json_agg(json_build_array(${cell}, ${fields.sql}) order by ${order}), '[]')
      from ${view(reading, table)} ${alias} where ${after}`,
  };
}

/** Returns the columns whose cells the role sees in all rows. */
function cursors(table: Table, role: Role): readonly Column[] {
  const { one, two } = table.grants;
  const isWhole = (name: string): boolean =>
    role !== 'both' || (one.columns.includes(name) && two.columns.includes(name));
  return readable(table, role).filter(({ name }, index) => index < table.keys || isWhole(name));
}

function firstValue(random: Random, { kind, keysTo }: Column): unknown {
  return keysTo === undefined ? random.pick(values[kind]) : random.below(keysTo);
}

/** Returns the sizes of the batches: at least `batchSize`, and all rows with the same value of the cursor in one batch. */
export function batchesOf(
  rows: readonly (readonly [value: unknown, row: unknown])[],
  batchSize: number,
): readonly number[] {
  const sizes: number[] = [];
  let start = 0;
  while (start < rows.length) {
    let end = Math.min(start + batchSize, rows.length);
    while (end < rows.length && rows[end]?.[0] === rows[end - 1]?.[0]) end += 1;
    sizes.push(end - start);
    start = end;
  }
  return sizes;
}
