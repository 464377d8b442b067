/** Random orders and distinct columns of lists, also through relationships: as GraphQL, and as SQL. */

import { comparable, readable, shuffled, type Table } from '../tables/schema.ts';
import { cellOf, type Reading, relatedTo, selectRelated } from './reading.ts';

/** A term of `order_by`: a value in SQL of the row with the given alias, and the GraphQL of a term with a direction. */
interface Key {
  readonly graphql: (direction: string) => string;
  readonly sql: (alias: string) => string;
}

export interface Order {
  /** The arguments `distinct_on` and `order_by`. */
  readonly given: readonly string[];
  /** The terms of `order by` for the row with the given alias. The order is total. */
  readonly terms: (alias: string) => string;
  /** `distinct on (...)`, or empty. */
  readonly distinct: (alias: string) => string;
}

/** Directions of GraphQL in SQL. Nulls are last in ascending and first in descending order. */
const directions: Readonly<Record<string, string>> = {
  asc: 'asc nulls last',
  asc_nulls_first: 'asc nulls first',
  asc_nulls_last: 'asc nulls last',
  desc: 'desc nulls first',
  desc_nulls_first: 'desc nulls first',
  desc_nulls_last: 'desc nulls last',
};

export function randomOrder(reading: Reading, table: Table): Order {
  const { random, role } = reading;
  const columns = readable(table, role);
  const distinct = random.oneIn(5) ? shuffled(random, random.some(columns, 2)) : [];
  if (distinct.length > 0) reading.uses.add('distinct rows');
  const keys: Key[] = [
    ...shuffled(random, distinct).map(keyOfColumn),
    ...Array.from({ length: random.below(3) }, () => randomKey(reading, table)),
    ...shuffled(random, table.primaryKey).map(keyOfColumn),
  ];
  const terms = keys.map((key) => ({ key, direction: random.pick(Object.keys(directions)) }));
  const written = terms.map(({ key, direction }) => key.graphql(direction));
  return {
    given: [
      ...(distinct.length > 0 ? [`distinct_on: [${distinct.map(({ field }) => field).join(', ')}]`] : []),
      `order_by: [${written.join(', ')}]`,
    ],
    terms: (alias) => terms.map(({ key, direction }) => `${key.sql(alias)} ${directions[direction]}`).join(),
    distinct: (alias) =>
      distinct.length === 0 ? '' : `distinct on (${distinct.map((column) => cellOf(alias, column)).join()})`,
  };
}

function keyOfColumn(column: Parameters<typeof cellOf>[1]): Key {
  return { graphql: (direction) => `{ ${column.field}: ${direction} }`, sql: (alias) => cellOf(alias, column) };
}

function randomKey(reading: Reading, table: Table, depth = 2): Key {
  const { random, role } = reading;
  const possible = relatedTo(reading, table);
  if (depth === 0 || possible.length === 0 || random.oneIn(3)) {
    return keyOfColumn(random.pick(comparable(table, role)));
  }
  const related = random.pick(possible);
  if (related.kind === 'object') {
    reading.uses.add('order by related rows');
    const inner = randomKey(reading, related.target, depth - 1);
    return {
      graphql: (direction) => `{ ${related.field}: ${inner.graphql(direction)} }`,
      sql: (alias) => selectRelated(reading, related, alias, inner.sql),
    };
  }
  if (random.oneIn(2)) {
    reading.uses.add('order by the number of related rows');
    return {
      graphql: (direction) => `{ ${related.field}_aggregate: { count: ${direction} } }`,
      sql: (alias) => selectRelated(reading, related, alias, () => 'count(*)'),
    };
  }
  const numbers = readable(related.target, role).filter(({ kind }) => kind === 'int' || kind === 'numeric');
  const [column, name] = [random.pick(numbers), random.pick(['min', 'max', 'sum'])];
  return {
    graphql: (direction) => `{ ${related.field}_aggregate: { ${name}: { ${column.field}: ${direction} } } }`,
    sql: (alias) => selectRelated(reading, related, alias, (other) => `${name}(${cellOf(other, column)})`),
  };
}
