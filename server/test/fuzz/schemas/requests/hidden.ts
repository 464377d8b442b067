/** Random reads of a column or computed field that the role may not read. */
import type { Random } from '../../random.ts';
import { type Role, readable, readableValues, type Schema } from '../tables/schema.ts';
import { inNamespace, rootField } from '../tables/sources.ts';

/** Returns a query that must be rejected, undefined if the role may read all of the table that was picked. */
export function randomHidden(random: Random, schema: Schema, role: Role): string | undefined {
  const table = random.pick(schema.tables);
  const seen = new Set([...readable(table, role), ...readableValues(table, role)].map(({ name }) => name));
  const hidden = [...table.columns, ...table.values.map(({ name }) => ({ name, field: name }))].filter(
    ({ name }) => !seen.has(name),
  );
  if (hidden.length === 0) return undefined;
  const { field } = random.pick(hidden);
  const [key] = table.primaryKey;
  const rows = rootField(table);
  const aggregated = rootField(table, '', '_aggregate');
  const selected = random.pick([
    `${rows} { ${field} }`,
    `${rows}(where: { ${field}: { _is_null: true } }) { ${key?.field} }`,
    `${rows}(order_by: { ${field}: asc }) { ${key?.field} }`,
    `${rows}(distinct_on: ${field}) { ${key?.field} }`,
    `${aggregated} { nodes { ${field} } }`,
    `${aggregated} { aggregate { max { ${field} } } }`,
    `${aggregated} { aggregate { count(columns: ${field}) } }`,
  ]);
  return `query { ${inNamespace(table.source.namespace, selected)} }`;
}
