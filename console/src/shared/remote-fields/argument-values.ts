/** Values of arguments in the form of a relationship: keys, fixed values and objects of both. Pure. */
import {
  type GraphQLInputType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql';
import { jsonProblem, parseExactly } from '../../api/exact-json.ts';
import { isJsonObject, type JsonObject } from '../../api/json.ts';
import { type JoinKey, suggestedKey, whyUnfitArgument } from './join-key.ts';

/** An argument or a field of an input object. */
export interface DeclaredInput {
  readonly name: string;
  readonly type: GraphQLInputType;
  readonly description?: string | null | undefined;
  readonly defaultValue?: unknown;
}

/** The owner of the keys. */
export interface KeyOwner {
  /** Name of the table or type. */
  readonly name: string;
  readonly noun: 'column' | 'field';
  readonly keys: readonly JoinKey[];
}

/** `fields`: of an input object. `items`: a list of input objects. */
export type ValueKind = 'key' | 'fields' | 'items' | 'value';

export function isRequired({ type, defaultValue }: DeclaredInput): boolean {
  return isNonNullType(type) && defaultValue === undefined;
}

export function kindOfValue(value: unknown, type: GraphQLInputType): ValueKind {
  if (typeof value === 'string' && value.startsWith('$')) return 'key';
  if (Array.isArray(value) && itemFieldsOf(type).length > 0 && value.every(isJsonObject)) return 'items';
  return isJsonObject(value) && isInputObjectType(getNullableType(type)) ? 'fields' : 'value';
}

/** Returns the fields of an input object. Empty for other types. */
export function fieldsOf(type: GraphQLInputType): readonly DeclaredInput[] {
  const nullable = getNullableType(type);
  return isInputObjectType(nullable) ? Object.values(nullable.getFields()) : [];
}

/** Returns the fields of the input objects of a list. Empty for other types. */
export function itemFieldsOf(type: GraphQLInputType): readonly DeclaredInput[] {
  const nullable = getNullableType(type);
  return isListType(nullable) ? fieldsOf(nullable.ofType) : [];
}

/** Returns the value that an input starts with when it is added. */
export function initialValue(input: DeclaredInput, owner: KeyOwner, subjects: readonly string[]): unknown {
  const found = suggestedFor(input, owner, subjects);
  if (found !== undefined) return `$${found.key.name}`;
  return initialFor(input.type);
}

/** Returns the value of a kind that replaces another one. */
export function valueOfKind(kind: ValueKind, input: DeclaredInput, owner: KeyOwner): unknown {
  if (kind === 'fields') return {};
  if (kind === 'items') return [{}];
  if (kind === 'value') return initialFor(input.type);
  const fit = owner.keys.find((key) => whyUnfitArgument(key, input.type) === undefined);
  return `$${suggestedFor(input, owner, [])?.key.name ?? fit?.name ?? ''}`;
}

function initialFor(type: GraphQLInputType): unknown {
  const nullable = getNullableType(type);
  if (isListType(nullable)) return itemFieldsOf(type).length > 0 ? [{}] : [];
  if (isInputObjectType(nullable)) return {};
  if (isEnumType(nullable)) return nullable.getValues()[0]?.name ?? '';
  if (nullable.name === 'Boolean') return true;
  return nullable.name === 'Int' || nullable.name === 'Float' ? 0 : '';
}

function suggestedFor(input: DeclaredInput, owner: KeyOwner, subjects: readonly string[]) {
  return suggestedKey(
    input.name,
    owner.keys,
    { subjects, owner: owner.name },
    (key) => whyUnfitArgument(key, input.type) === undefined,
  );
}

/** Returns the arguments that keys of the same name and a fitting type supply. */
export function suggestedArguments(
  declared: readonly DeclaredInput[],
  owner: KeyOwner,
  subjects: readonly string[],
): JsonObject {
  return Object.fromEntries(
    declared.flatMap((input) => {
      const found = suggestedFor(input, owner, subjects);
      return found === undefined ? [] : [[input.name, `$${found.key.name}`]];
    }),
  );
}

/** Whether keys certainly supply all required arguments, and at least one. */
export function suppliesAll(declared: readonly DeclaredInput[], owner: KeyOwner, subjects: readonly string[]): boolean {
  const found = declared.map((input) => ({ input, found: suggestedFor(input, owner, subjects) }));
  const isSupplied = found.some((one) => one.found?.isCertain === true);
  return isSupplied && found.every((one) => !isRequired(one.input) || one.found?.isCertain === true);
}

/** Returns the text of a fixed value in an input. */
export function textOfValue(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Returns the fixed value of a text. Text that is no value of the type stays a string, which `valueError` reports. */
export function valueOfText(text: string, type: GraphQLInputType): unknown {
  const nullable = getNullableType(type);
  const isText =
    !isListType(nullable) && (nullable.name === 'String' || nullable.name === 'ID' || isEnumType(nullable));
  return isText || jsonProblem(text) !== undefined ? text : parseExactly(text);
}

/** Returns why a fixed value is none of the type, or undefined. */
export function valueError(value: unknown, type: GraphQLInputType): string | undefined {
  const nullable = getNullableType(type);
  if (value === null) return 'Null cannot be a fixed value. Leave the argument out.';
  if (isListType(nullable)) {
    if (typeof value === 'string' && value.startsWith('[')) return 'Must be a list as JSON.';
    return Array.isArray(value) ? value.map((item) => valueError(item, nullable.ofType)).find(Boolean) : undefined;
  }
  if (typeof value === 'string' && value.startsWith('$')) return undefined;
  if (isInputObjectType(nullable)) return isJsonObject(value) ? undefined : 'Must be an object as JSON.';
  if (isEnumType(nullable)) {
    return typeof value === 'string' && nullable.getValue(value) !== undefined
      ? undefined
      : `Must be one of ${nullable
          .getValues()
          .map(({ name }) => name)
          .join(', ')}.`;
  }
  if (nullable.name === 'Int' && !Number.isInteger(value)) return 'Must be a whole number.';
  if (nullable.name === 'Float' && typeof value !== 'number') return 'Must be a number.';
  if (nullable.name === 'Boolean' && typeof value !== 'boolean') return 'Must be true or false.';
  return undefined;
}
