/** Random conditions of requests, on columns and on related rows: as JSON and as SQL. */

import { comparison } from '../tables/rules.ts';
import { comparable, type Table } from '../tables/schema.ts';
import { cellOf, type Reading, type Related, relatedTo, selectRelated } from './reading.ts';

/** A condition of a request as JSON, and as SQL on the row with the given alias. */
export interface Condition {
  readonly json: unknown;
  readonly sql: (alias: string) => string;
}

export function randomCondition(reading: Reading, table: Table, depth = 2): Condition {
  const { random, role } = reading;
  if (depth > 0 && random.oneIn(3)) {
    const parts = [0, 1].map(() => randomCondition(reading, table, depth - 1));
    const every = random.oneIn(2);
    return {
      json: { [every ? '_and' : '_or']: parts.map(({ json }) => json) },
      sql: (alias) => `(${parts.map(({ sql }) => `(${sql(alias)})`).join(every ? ' and ' : ' or ')})`,
    };
  }
  if (depth > 0 && random.oneIn(5)) {
    const inner = randomCondition(reading, table, depth - 1);
    return { json: { _not: inner.json }, sql: (alias) => `not (${inner.sql(alias)})` };
  }
  const related = relatedTo(reading, table);
  if (depth > 0 && related.length > 0 && random.oneIn(3)) return ofRelated(reading, random.pick(related), depth);
  const column = random.pick(comparable(table, role));
  const { operator, value, sql } = comparison(random, column);
  return { json: { [column.field]: { [operator]: value } }, sql: (alias) => `${cellOf(alias, column)} ${sql}` };
}

/** A condition on the existence or on the number of related rows. */
function ofRelated(reading: Reading, related: Related, depth: number): Condition {
  const { random } = reading;
  reading.uses.add('condition on related rows');
  const inner = randomCondition(reading, related.target, depth - 1);
  if (related.kind !== 'array' || random.oneIn(2)) {
    return {
      json: { [related.field]: inner.json },
      sql: (alias) => `exists ${selectRelated(reading, related, alias, () => '', inner.sql)}`,
    };
  }
  const least = random.below(3);
  const filter = random.oneIn(2) ? inner : undefined;
  const count = { predicate: { _gt: least }, ...(filter && { filter: filter.json }) };
  return {
    json: { [`${related.field}_aggregate`]: { count } },
    sql: (alias) => `${selectRelated(reading, related, alias, () => 'count(*)', filter?.sql)} > ${least}`,
  };
}
