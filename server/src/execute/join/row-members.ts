/** The members of rows with joins, in the order in which statements print them. Derived of plans. */
import { printJson } from '../../base/json-value.ts';
import type { ColumnType, TypeFamily } from '../../model/types/column-type.ts';
import type { AggregatePlan, ConnectionPlan, FieldPlan, JoinPlan } from '../../plan/plan/query.ts';
import { holdsJoins, type Shape } from './key-collector.ts';

/** A member of an object, in the order of the text. `name` is the text up to its value: `"id":`. */
export type Member =
  /** A value without joins. `isSame` is false if PostgreSQL may print it in another form than `printJson`, such as `1.50`. */
  | { readonly kind: 'other'; readonly name: string; readonly isSame: boolean }
  /** An object, a list of objects or null, in which there are joins. */
  | { readonly kind: 'nested'; readonly name: string; readonly members: readonly Member[] }
  /** A placeholder. `keys` are the positions of the parts of the key among the members. */
  | { readonly kind: 'join'; readonly name: string; readonly join: JoinPlan; readonly keys: readonly number[] }
  /** Removed. Only phantoms follow it. */
  | { readonly kind: 'phantom'; readonly name: string };

/** The members of objects, cached for the lifetime of the plan. Null: the text has to be parsed. */
const compiled = new WeakMap<object, readonly Member[] | null>();

/** Returns the members of the objects in the shape; undefined where their text has to be parsed. */
export function membersOf(shape: Shape): readonly Member[] | undefined {
  const part = shape.kind === 'rows' ? shape.fields : shape.kind === 'aggregate' ? shape.aggregate : shape.connection;
  let members = compiled.get(part);
  if (members === undefined) {
    members = compile(shape) ?? null;
    compiled.set(part, members);
  }
  return members ?? undefined;
}

function compile(shape: Shape): readonly Member[] | undefined {
  switch (shape.kind) {
    case 'rows':
      return rowMembers(shape.fields);
    case 'aggregate':
      return all(shape.aggregate.parts.map((part) => nodesMember(part)));
    case 'connection':
      return all(shape.connection.parts.map((part) => edgesMember(part)));
    default:
      return shape satisfies never;
  }
}

function all(members: readonly (Member | undefined)[]): readonly Member[] | undefined {
  const known = members.filter((member) => member !== undefined);
  return known.length === members.length ? known : undefined;
}

function nodesMember(part: AggregatePlan['parts'][number]): Member | undefined {
  if (part.kind !== 'nodes') return other(part.alias, part.kind === 'constant');
  return nested(part.alias, { kind: 'rows', fields: part.fields });
}

function edgesMember(part: ConnectionPlan['parts'][number]): Member | undefined {
  // Others are strings and booleans.
  if (part.kind !== 'edges') return other(part.alias, true);
  const members = all(
    part.members.map((member) => {
      if (member.kind !== 'node') return other(member.alias, true);
      return nested(member.alias, { kind: 'rows', fields: member.fields });
    }),
  );
  return members && { kind: 'nested', name: nameOf(part.alias), members };
}

function other(alias: string, isSame: boolean): Member {
  return { kind: 'other', name: nameOf(alias), isSame };
}

function nested(alias: string, shape: Shape): Member | undefined {
  if (!holdsJoins(shape)) return other(alias, shape.kind === 'rows' && shape.fields.every(isSameText));
  const members = membersOf(shape);
  return members && { kind: 'nested', name: nameOf(alias), members };
}

function rowMembers(fields: readonly FieldPlan[]): readonly Member[] | undefined {
  const firstPhantom = fields.findIndex(({ kind }) => kind === 'phantom');
  if (firstPhantom >= 0 && fields.slice(firstPhantom).some(({ kind }) => kind !== 'phantom')) return undefined;
  return all(fields.map((field) => rowMember(field, fields)));
}

function rowMember(field: FieldPlan, fields: readonly FieldPlan[]): Member | undefined {
  const { alias } = field;
  switch (field.kind) {
    case 'join': {
      const { join } = field;
      const keys = join.keys.map(({ name }) => fields.findIndex((one) => one.alias === name));
      return keys.includes(-1) ? undefined : { kind: 'join', name: nameOf(alias), join, keys };
    }
    case 'object':
    case 'array':
    case 'computedRows':
      return nested(alias, { kind: 'rows', fields: field.rows.fields });
    case 'aggregate':
    case 'connection':
      return nested(alias, field);
    case 'phantom':
      return { kind: 'phantom', name: nameOf(alias) };
    case 'column':
    case 'computed':
    case 'constant':
    case 'nodeId':
      return other(alias, isSameText(field));
    default:
      return field satisfies never;
  }
}

/** Types whose values are strings or booleans in JSON. */
const strings: ReadonlySet<TypeFamily> = new Set([
  ...(['boolean', 'text', 'citext', 'time', 'interval', 'uuid', 'bytes', 'enum', 'range', 'network'] as const),
  ...(['ltree', 'lquery', 'ltxtquery'] as const),
]);
const integers: ReadonlySet<string> = new Set(['int2', 'int4', 'int8']);

/** Whether PostgreSQL prints the value as `printJson` does: without spaces, and with one form for each number. */
function isSameText(field: FieldPlan): boolean {
  switch (field.kind) {
    case 'column':
      return hasSameText(field.column.type);
    case 'computed':
      return hasSameText(field.type);
    case 'object':
    case 'array':
    case 'computedRows':
      return field.rows.fields.every(isSameText);
    case 'constant':
    case 'nodeId':
      return true;
    case 'aggregate':
    case 'connection':
    case 'join':
    case 'phantom':
      return false;
    default:
      return field satisfies never;
  }
}

function hasSameText({ family, name, element }: ColumnType): boolean {
  if (family === 'array') return element !== undefined && hasSameText(element);
  return strings.has(family) || integers.has(name);
}

function nameOf(alias: string): string {
  return `${printJson(alias)}:`;
}
