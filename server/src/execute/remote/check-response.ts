/**
 * Checks the response of a remote schema against the types that it announced. A value of another type is null and has
 * an error with its path; a null where none may be makes the object around it null, as GraphQL has it.
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
import { ExactNumber } from '../../base/json-value.ts';
import type { RemoteSchema } from '../../model/types/table.ts';
import type { JoinPlan } from '../../plan/plan/query.ts';
import type { RemoteMember } from '../../plan/plan/remote.ts';
import { builtInFits, kindOf, show } from '../action/output-values.ts';
import type { Fault, ResponsePath } from '../response/field-errors.ts';

/** What was asked of a remote schema at one place: the type there, the selection as it was sent. */
export interface AskedValue {
  readonly remote: RemoteSchema;
  readonly type: GraphQLOutputType;
  readonly selection: SelectionSetNode | undefined;
  readonly members: readonly RemoteMember<JoinPlan>[] | undefined;
}

export interface CheckedValue {
  readonly value: unknown;
  /** Their paths begin at the value. */
  readonly faults: readonly Fault[];
}

/** One way through a response. */
interface Walk {
  readonly remote: string;
  readonly path: (string | number)[];
  readonly faults: Fault[];
}

/** Returns the value, or `void_` where a null stands that the type does not allow. Changes objects and lists in place. */
type Check = (value: unknown, walk: Walk) => unknown;

/** A null that its type does not allow: the value around it is null too. */
const void_ = Symbol('void');

/** In one value; a list with a thousand wrong items need not have a thousand errors. */
const MOST_FAULTS = 100;

const compiled = new WeakMap<object, Check>();

/** Checks `value`, of which `key` (a plan) says what was asked. Changes it in place. */
export function checkRemote(key: object, asked: () => AskedValue, remote: RemoteSchema, value: unknown): CheckedValue {
  let check = compiled.get(key);
  if (check === undefined) {
    const { type, selection, members } = asked();
    check = checkOf(remote.upstream, type, selection ? [selection] : [], members ?? [], false);
    compiled.set(key, check);
  }
  const walk: Walk = { remote: remote.name, path: [], faults: [] };
  const checked = check(value, walk);
  return { value: checked === void_ ? null : checked, faults: walk.faults };
}

function checkOf(
  schema: GraphQLSchema,
  type: GraphQLOutputType,
  selections: readonly SelectionSetNode[],
  members: readonly RemoteMember<JoinPlan>[],
  hidden: boolean,
): Check {
  if (isNonNullType(type)) {
    const inner = checkOf(schema, type.ofType, selections, members, hidden);
    return (value, walk) => {
      const before = walk.faults.length;
      const checked = inner(value, walk);
      if (checked !== null) return checked;
      // A value of another type is null by now, and has its error.
      if (walk.faults.length === before) note(walk, String(type), value, hidden);
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
  /** The client did not ask for it: it is the key of a join. */
  readonly hidden: boolean;
  /** It is there whatever type the object is of. */
  readonly certain: boolean;
}

function objectCheck(
  schema: GraphQLSchema,
  typeName: string,
  selections: readonly SelectionSetNode[],
  members: readonly RemoteMember<JoinPlan>[],
): Check {
  const fields = fieldsOf(schema, typeName, selections, members);
  return (value, walk) => {
    if (!isObject(value)) return note(walk, typeName, value, false);
    let isVoid = false;
    for (const { alias, check, hidden, certain } of fields) {
      if (!certain && !Object.hasOwn(value, alias)) continue;
      if (!hidden) walk.path.push(alias);
      const given = Object.hasOwn(value, alias) ? value[alias] : undefined;
      const checked = check(given, walk);
      if (!hidden) walk.path.pop();
      if (checked === void_) isVoid = true;
      else if (checked !== given) put(value, alias, checked);
    }
    return isVoid ? void_ : value;
  };
}

interface Collected {
  readonly type: GraphQLOutputType;
  readonly below: SelectionSetNode[];
  certain: boolean;
}

/** The members of an object, each once: GraphQL lets fields of one alias be selected several times. */
function fieldsOf(
  schema: GraphQLSchema,
  typeName: string,
  selections: readonly SelectionSetNode[],
  members: readonly RemoteMember<JoinPlan>[],
): readonly Field[] {
  const collected = new Map<string, Collected>();
  for (const selection of selections) collect(schema, typeName, selection, true, collected);
  const byAlias = new Map(members.map((member) => [member.alias, member]));
  return [...collected].map(([alias, { type, below, certain }]) => {
    const member = byAlias.get(alias);
    const hidden = member?.kind === 'phantom';
    const inner = member?.kind === 'object' ? member.members : [];
    return { alias, hidden, certain, check: checkOf(schema, type, below, inner, hidden) };
  });
}

function collect(
  schema: GraphQLSchema,
  typeName: string,
  { selections }: SelectionSetNode,
  certain: boolean,
  into: Map<string, Collected>,
): void {
  const type = schema.getType(typeName);
  for (const selection of selections) {
    if (selection.kind === Kind.INLINE_FRAGMENT) {
      const condition = selection.typeCondition?.name.value ?? typeName;
      collect(schema, condition, selection.selectionSet, certain && condition === typeName, into);
    } else if (selection.kind === Kind.FIELD) {
      const field = isObjectType(type) || isInterfaceType(type) ? type.getFields()[selection.name.value] : undefined;
      // "__typename" is a member of every type, and changes nothing but a name.
      if (field === undefined) continue;
      const alias = selection.alias?.value ?? selection.name.value;
      const known = into.get(alias) ?? { type: field.type, below: [], certain };
      if (selection.selectionSet) known.below.push(selection.selectionSet);
      known.certain ||= certain;
      into.set(alias, known);
    }
  }
}

/** Notes the error at the present path. Returns null, the value that stands there instead. */
function note({ remote, path, faults }: Walk, expected: string, value: unknown, hidden: boolean): null {
  if (faults.length >= MOST_FAULTS) return null;
  const found = hidden ? kindOf(value) : show(value);
  const what = hidden ? 'the key of a relationship' : 'a value';
  const message = `remote schema "${remote}" sent ${what} of another type than it announced: expected ${expected}, found ${found}`;
  const below: ResponsePath = [...path];
  faults.push({ error: new ServiceError('remote-schema-error', message), below });
  return null;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber);
}

function put(into: Record<string, unknown>, alias: string, value: unknown): void {
  if (alias !== '__proto__') into[alias] = value;
  else Object.defineProperty(into, alias, { value, enumerable: true, writable: true, configurable: true });
}
