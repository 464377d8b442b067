/** Prints global ids and cursors: JSON in base64, as in Hasura v2. */
import type { ColumnType } from '../../model/types/column-type.ts';
import type { CursorPart, FieldPlan } from '../../plan/plan/query.ts';
import { isNativeJson } from '../../plan/relay/json-values.ts';
import { NODE_ID_VERSION } from '../../plan/relay/node-id.ts';
import { cast, ident, integer, join, literal, type Sql, sql } from '../../postgres/sql/sql.ts';

const text = { sqlName: 'text' };

/** Returns the global id of the row named `row`: `[1, "schema", "table", key, ...]` in base64. */
export function nodeId({ table, key }: Extract<FieldPlan, { kind: 'nodeId' }>, row: string): Sql {
  const items = [
    integer(NODE_ID_VERSION),
    cast(literal(table.schema), text),
    cast(literal(table.name), text),
    ...key.map(({ name, type }) => jsonValue(ident(row, name), type)),
  ];
  return base64(sql`json_build_array(${join(items, ', ')})`);
}

/** Returns the cursor with `values`, in the order of `parts`: a JSON object in base64. */
export function cursorOf(parts: readonly CursorPart[], values: readonly Sql[]): Sql {
  const root: Tree = new Map();
  parts.forEach(({ path, type }, index) => {
    const value = values[index];
    if (value !== undefined) insert(root, path, jsonValue(value, type));
  });
  return base64(objectOf(root));
}

type Tree = Map<string, Tree | Sql>;

function insert(into: Tree, [name = '', ...rest]: readonly string[], value: Sql): void {
  if (rest.length === 0) {
    into.set(name, value);
    return;
  }
  const known = into.get(name);
  const below: Tree = known instanceof Map ? known : new Map();
  into.set(name, below);
  insert(below, rest, value);
}

function objectOf(tree: Tree): Sql {
  const members = [...tree].map(([name, value]) => {
    return sql`${cast(literal(name), text)}, ${value instanceof Map ? objectOf(value) : value}`;
  });
  return sql`json_build_object(${join(members, ', ')})`;
}

function jsonValue(value: Sql, type: ColumnType): Sql {
  return isNativeJson(type) ? value : cast(sql`(${value})`, text);
}

/** PostgreSQL breaks the lines of base64. */
function base64(json: Sql): Sql {
  return sql`translate(encode(convert_to(${cast(json, text)}, 'UTF8'), 'base64'), chr(10), '')`;
}
