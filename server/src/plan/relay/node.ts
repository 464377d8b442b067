/** Plans `node`: one row by its global id. */
import { ServiceError } from '../../base/errors.ts';
import { parseJson } from '../../base/json-value.ts';
import type { Column } from '../../model/types/table.ts';
import { relationKey } from '../../postgres/catalog/catalog-types.ts';
import type { FieldBinding, NodeTarget } from '../../schema/binding.ts';
import type { PlanContext, SelectedField } from '../context/context.ts';
import type { ArgumentValue } from '../document/arguments.ts';
import type { RowsPlan } from '../plan/query.ts';
import { planKey } from '../select/where.ts';
import type { PlanFields } from './connection.ts';
import { readKeyValue } from './json-values.ts';
import { invalidNodeId, type NodeId, parseNodeId } from './node-id.ts';

/** The plan is valid for one id, because the id selects the table. */
export function planNode(
  context: PlanContext,
  field: SelectedField,
  { targets }: Extract<FieldBinding, { kind: 'node' }>,
  planFields: PlanFields,
): RowsPlan {
  const path = `${field.path}.args.id`;
  const id = parseNodeId(String(context.settle(context.arguments(field).id)), path);
  const target = targetOf(targets.get(relationKey(id.schema, id.table)) ?? [], id, path);
  const { table, key, access, type } = target;
  return {
    table,
    where: planKey({ filter: access.filter }, key, valuesOf(key, id, field.path), path),
    orderBy: [],
    distinctOn: [],
    limit: undefined,
    rowLimit: undefined,
    offset: undefined,
    fields: planFields(context, ofType(field, type), table),
  };
}

function targetOf(found: readonly NodeTarget[], { schema, table, key }: NodeId, path: string): NodeTarget {
  const name = schema === 'public' ? table : `${schema}.${table}`;
  const [target, second] = found;
  if (target === undefined) throw invalidNodeId(`no such table found: '${name}'`, path);
  if (second !== undefined) {
    const sources = found.map((one) => `'${one.table.source}'`).join(', ');
    const matches = 'this V1 node id matches more than one table across different sources';
    throw invalidNodeId(`${matches}: '${name}' exists in sources [${sources}]`, path);
  }
  const missing = target.key.slice(key.length).map((column) => `'${column.name}'`);
  if (missing.length > 0) throw invalidNodeId(`primary key columns [${missing.join(', ')}] are missing`, path);
  const more = key.slice(target.key.length);
  if (more.length > 0) throw invalidNodeId(`unexpected column values ${JSON.stringify(more)}`, path);
  return target;
}

/** Returns the values of the key columns, as arguments of `planKey`. */
function valuesOf(key: readonly Column[], id: NodeId, path: string): Readonly<Record<string, ArgumentValue>> {
  return Object.fromEntries(key.map((column, index) => [column.field, keyValue(column, id.key[index], path)] as const));
}

function keyValue({ name, type }: Column, value: unknown, path: string): ArgumentValue {
  try {
    const read = readKeyValue(type, value);
    if (read === null) throw new ServiceError('parse-failed', 'a key cannot be null');
    return (type.family === 'jsonb' && typeof read === 'string' ? parseJson(read) : value) as ArgumentValue;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const message = `value of column '${name}' in node id: ${error.message}`;
    throw new ServiceError('parse-failed', message, { path, cause: error });
  }
}

/** The field as if it had the type of the row, so that fragments on other types are left out. */
function ofType(field: SelectedField, type: NodeTarget['type']): SelectedField {
  if (field.definition === undefined) throw new TypeError(`${field.path} has no type`);
  return { ...field, definition: { ...field.definition, type } };
}
