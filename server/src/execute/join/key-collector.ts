/** Collects the join keys of rows in JSON, and removes phantoms. */
import type { AggregatePlan, ConnectionPlan, FieldPlan } from '../../plan/plan/query.ts';
import type { OnJoin } from '../action/check-output.ts';

/** The structure of a list, row, aggregate or connection. */
export type Shape =
  | { readonly kind: 'rows'; readonly fields: readonly FieldPlan[] }
  | { readonly kind: 'aggregate'; readonly aggregate: AggregatePlan }
  | { readonly kind: 'connection'; readonly connection: ConnectionPlan };

type Row = Record<string, unknown>;

const known = new WeakMap<readonly FieldPlan[], boolean>();

/** Whether the shape contains joins. If not, its JSON need not be parsed. */
export function holdsJoins(shape: Shape): boolean {
  if (shape.kind === 'aggregate') {
    return shape.aggregate.parts.some((part) => part.kind === 'nodes' && fieldsHoldJoins(part.fields));
  }
  if (shape.kind === 'connection') {
    return nodesOf(shape.connection).some(({ fields }) => fieldsHoldJoins(fields));
  }
  return fieldsHoldJoins(shape.fields);
}

/** Returns the nodes that are selected of a connection, with the response keys that lead to them. */
export function nodesOf({ parts }: ConnectionPlan): readonly SelectedNode[] {
  return parts.flatMap((part) => {
    if (part.kind !== 'edges') return [];
    return part.members.flatMap((member) =>
      member.kind === 'node' ? [{ edges: part.alias, node: member.alias, fields: member.fields }] : [],
    );
  });
}

interface SelectedNode {
  readonly edges: string;
  readonly node: string;
  readonly fields: readonly FieldPlan[];
}

function fieldsHoldJoins(fields: readonly FieldPlan[]): boolean {
  const found = known.get(fields) ?? fields.some(fieldHoldsJoins);
  known.set(fields, found);
  return found;
}

function fieldHoldsJoins(field: FieldPlan): boolean {
  switch (field.kind) {
    case 'join':
      return true;
    case 'object':
    case 'array':
    case 'computedRows':
      return fieldsHoldJoins(field.rows.fields);
    case 'aggregate':
    case 'connection':
      return holdsJoins(field);
    default:
      return false;
  }
}

/** Collects the joins of `value`: a row, a list of rows, an aggregate or null, with the given shape. Changes it in place. */
export function collectJoins(shape: Shape, value: unknown, onJoin: OnJoin): void {
  if (typeof value !== 'object' || value === null || !holdsJoins(shape)) return;
  if (Array.isArray(value)) {
    for (const item of value) collectJoins(shape, item, onJoin);
    return;
  }
  const row = value as Row;
  if (shape.kind === 'rows') {
    collectFromRow(shape.fields, row, onJoin);
    return;
  }
  if (shape.kind === 'connection') {
    for (const { edges, node, fields } of nodesOf(shape.connection)) {
      const list = row[edges];
      if (!Array.isArray(list)) continue;
      for (const edge of list) collectJoins({ kind: 'rows', fields }, (edge as Row)[node], onJoin);
    }
    return;
  }
  for (const part of shape.aggregate.parts) {
    if (part.kind === 'nodes') collectJoins({ kind: 'rows', fields: part.fields }, row[part.alias], onJoin);
  }
}

function collectFromRow(fields: readonly FieldPlan[], row: Row, onJoin: OnJoin): void {
  for (const field of fields) {
    switch (field.kind) {
      case 'join':
        onJoin(
          field.join,
          row,
          field.alias,
          field.join.keys.map(({ name }) => row[name]),
        );
        break;
      case 'object':
      case 'array':
      case 'computedRows':
        collectJoins({ kind: 'rows', fields: field.rows.fields }, row[field.alias], onJoin);
        break;
      case 'aggregate':
      case 'connection':
        collectJoins(field, row[field.alias], onJoin);
        break;
      case 'column':
      case 'computed':
      case 'constant':
      case 'nodeId':
      case 'phantom':
        break;
      default:
        field satisfies never;
    }
  }
  // Removed last, since a phantom can be the key of several joins.
  for (const field of fields) if (field.kind === 'phantom') delete row[field.alias];
}
