/**
 * Checks the response of a remote schema against its introspected types. An invalid value is replaced by null and has an
 * error with its path. A null at a non-null position propagates to the parent, as in GraphQL. Members of objects that were not
 * selected are removed.
 */
import {
  type GraphQLOutputType,
  type GraphQLSchema,
  isAbstractType,
  isEnumType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type SelectionSetNode,
} from 'graphql';
import { ServiceError } from '../../base/errors.ts';
import { isJsonObject, kindOf, setMember, showJson } from '../../base/json-value.ts';
import type { RemoteSchema } from '../../model/types/table.ts';
import type { JoinPlan } from '../../plan/plan/query.ts';
import type { RemoteMember } from '../../plan/plan/remote.ts';
import { builtInFits } from '../action/output-values.ts';
import type { ResponsePath, ResultError } from '../response/field-errors.ts';

/** A value requested from a remote schema: its type and the selection that was sent. */
export interface RequestedValue {
  readonly remote: RemoteSchema;
  readonly type: GraphQLOutputType;
  readonly selection: SelectionSetNode | undefined;
  readonly members: readonly RemoteMember<JoinPlan>[] | undefined;
}

export interface CheckedValue {
  readonly value: unknown;
  /** With paths relative to the value. */
  readonly errors: readonly ResultError[];
}

/** The state of checking one value. */
interface Walk {
  readonly remote: string;
  readonly path: (string | number)[];
  readonly errors: ResultError[];
}

/** Returns the checked value, or `void_` for a null at a non-null position. Changes objects and lists in place. */
type Check = (value: unknown, walk: Walk) => unknown;

/** A null at a non-null position, which propagates to the parent. */
const void_ = Symbol('void');

/** Maximum number of errors in one value. */
const MAX_ERRORS = 100;

const compiled = new WeakMap<object, Check>();

/** Checks `value` in place. `key` is the plan that the compiled check is cached with. */
export function checkRemote(
  key: object,
  requested: () => RequestedValue,
  remote: RemoteSchema,
  value: unknown,
): CheckedValue {
  let check = compiled.get(key);
  if (check === undefined) {
    const { type, selection, members } = requested();
    const selections = selection ? [{ selection, certain: true }] : [];
    check = checkOf(remote.upstream, type, selections, members ?? [], false);
    compiled.set(key, check);
  }
  const walk: Walk = { remote: remote.name, path: [], errors: [] };
  const checked = check(value, walk);
  return { value: checked === void_ ? null : checked, errors: walk.errors };
}

function checkOf(
  schema: GraphQLSchema,
  type: GraphQLOutputType,
  selections: readonly SelectedBelow[],
  members: readonly RemoteMember<JoinPlan>[],
  hidden: boolean,
): Check {
  if (isNonNullType(type)) {
    const inner = checkOf(schema, type.ofType, selections, members, hidden);
    return (value, walk) => {
      const before = walk.errors.length;
      const checked = inner(value, walk);
      if (checked !== null) return checked;
      // An invalid value has been replaced by null, and has its error.
      if (walk.errors.length === before) note(walk, String(type), value, hidden);
      return void_;
    };
  }
  const check = isListType(type)
    ? listCheck(checkOf(schema, type.ofType, selections, members, hidden), String(type), hidden)
    : isObjectType(type) || isAbstractType(type)
      ? objectCheck(schema, type.name, selections, members)
      : leafCheck(type, hidden);
  return check === undefined ? (value) => value ?? null : (value, walk) => nullable(check, value, walk);
}

function nullable(check: Check, value: unknown, walk: Walk): unknown {
  if (value === null || value === undefined) return null;
  const checked = check(value, walk);
  return checked === void_ ? null : checked;
}

function listCheck(item: Check, type: string, hidden: boolean): Check {
  return (value, walk) => {
    if (!Array.isArray(value)) return note(walk, type, value, hidden);
    let isVoid = false;
    for (let index = 0; index < value.length; index += 1) {
      walk.path.push(index);
      const checked = item(value[index], walk);
      walk.path.pop();
      if (checked === void_) isVoid = true;
      else value[index] = checked;
    }
    return isVoid ? void_ : value;
  };
}

function leafCheck(type: GraphQLOutputType, hidden: boolean): Check | undefined {
  const fits = isEnumType(type)
    ? enumFits(new Set(type.getValues().map(({ name }) => name)))
    : builtInFits(String(type));
  if (fits === undefined) return undefined;
  return (value, walk) => (fits(value) ? value : note(walk, String(type), value, hidden));
}

function enumFits(names: ReadonlySet<unknown>): (value: unknown) => boolean {
  return (value) => names.has(value);
}

interface Field {
  readonly alias: string;
  readonly check: Check;
  /** Whether the field is the key of a join, which the client did not select. */
  readonly hidden: boolean;
  /** Whether objects of all types have the field. */
  readonly certain: boolean;
  /** The types of objects that have a join with the same response key, in whose place the name of the type is sent. */
  readonly joinedTypes: ReadonlySet<unknown>;
}

function objectCheck(
  schema: GraphQLSchema,
  typeName: string,
  selections: readonly SelectedBelow[],
  members: readonly RemoteMember<JoinPlan>[],
): Check {
  const { fields, names } = fieldsOf(schema, typeName, selections, members);
  return (value, walk) => {
    if (!isJsonObject(value)) return note(walk, typeName, value, false);
    for (const name of Object.keys(value)) if (!names.has(name)) delete value[name];
    let isVoid = false;
    for (const { alias, check, hidden, certain, joinedTypes } of fields) {
      if (!certain && !Object.hasOwn(value, alias)) continue;
      const given = Object.hasOwn(value, alias) ? value[alias] : undefined;
      if (joinedTypes.has(given)) continue;
      if (!hidden) walk.path.push(alias);
      const checked = check(given, walk);
      if (!hidden) walk.path.pop();
      if (checked === void_) isVoid = true;
      else if (checked !== given) setMember(value, alias, checked);
    }
    return isVoid ? void_ : value;
  };
}

/** A selection of an object. `certain`: whether objects of all types have its fields. */
interface SelectedBelow {
  readonly selection: SelectionSetNode;
  readonly certain: boolean;
}

interface Collected {
  readonly type: GraphQLOutputType;
  readonly below: SelectedBelow[];
  /** The types whose selections have the field. */
  readonly conditions: Set<string>;
  certain: boolean;
}

interface SelectedFields {
  /** The fields to check, with the selections of each alias merged. */
  readonly fields: readonly Field[];
  /** The names of all selected members. */
  readonly names: ReadonlySet<string>;
}

function fieldsOf(
  schema: GraphQLSchema,
  typeName: string,
  selections: readonly SelectedBelow[],
  members: readonly RemoteMember<JoinPlan>[],
): SelectedFields {
  const collected = new Map<string, Collected>();
  const names = new Set<string>();
  for (const { selection, certain } of selections) collect(schema, typeName, selection, certain, collected, names);
  const fields = [...collected].map(([alias, { type, below: given, conditions, certain }]): Field => {
    // An object of one type does not have what is selected for another one.
    const below = conditions.size > 1 ? given : given.map(({ selection }) => ({ selection, certain: true }));
    const named = members.filter((member) => member.alias === alias);
    const hidden = named.some(({ kind }) => kind === 'phantom');
    const inner = named.flatMap((member) => (member.kind === 'object' ? member.members : []));
    const joinedTypes = new Set(named.flatMap((member) => (member.kind === 'join' ? [member.type] : [])));
    return { alias, hidden, certain, joinedTypes, check: checkOf(schema, type, below, inner, hidden) };
  });
  return { fields, names };
}

function collect(
  schema: GraphQLSchema,
  typeName: string,
  { selections }: SelectionSetNode,
  certain: boolean,
  into: Map<string, Collected>,
  names: Set<string>,
): void {
  const type = schema.getType(typeName);
  for (const selection of selections) {
    if (selection.kind === Kind.INLINE_FRAGMENT) {
      const condition = selection.typeCondition?.name.value ?? typeName;
      collect(schema, condition, selection.selectionSet, certain && condition === typeName, into, names);
    } else if (selection.kind === Kind.FIELD) {
      const field = isObjectType(type) || isInterfaceType(type) ? type.getFields()[selection.name.value] : undefined;
      const alias = selection.alias?.value ?? selection.name.value;
      names.add(alias);
      // `__typename` is not checked.
      if (field === undefined) continue;
      const known = into.get(alias) ?? { type: field.type, below: [], conditions: new Set(), certain };
      if (selection.selectionSet) known.below.push({ selection: selection.selectionSet, certain });
      known.conditions.add(typeName);
      known.certain ||= certain;
      into.set(alias, known);
    }
  }
}

/** Adds an error at the current path, and returns null as the replacement of the value. */
function note({ remote, path, errors }: Walk, expected: string, value: unknown, hidden: boolean): null {
  if (errors.length >= MAX_ERRORS) return null;
  const found = hidden ? kindOf(value) : showJson(value);
  const what = hidden ? 'the key of a relationship' : 'a value';
  const message = `remote schema "${remote}" sent ${what} of another type than it declares: expected ${expected}, found ${found}`;
  const below: ResponsePath = [...path];
  errors.push({ error: new ServiceError('remote-schema-error', message), below });
  return null;
}
