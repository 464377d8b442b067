/** Keys of a relationship: columns of a table or fields of a type, and what they can be joined to. Pure. */
import type { ColumnInfo } from '@joinery/metadata/api/sources/catalog';
import {
  type GraphQLEnumType,
  type GraphQLInputType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
} from 'graphql';
import { type Family, familyOf } from '../sources/type-family.ts';

export interface JoinKey {
  readonly name: string;
  /** The type as it is shown. */
  readonly type: string;
  /** The type in PostgreSQL, such as `int4` or `text[]`. Empty when it is unknown: the key then fits everything. */
  readonly sqlType: string;
  /** Of an enum type. */
  readonly values?: readonly string[] | undefined;
}

/** Returns a column, or a computed field, as a key. */
export function columnKey({
  name,
  type,
  base_type,
  values,
}: Pick<ColumnInfo, 'name' | 'type' | 'base_type' | 'values'>): JoinKey {
  return { name, type, sqlType: base_type ?? type, values };
}

const builtIn: Readonly<Record<string, string>> = { Int: 'int4', Float: 'float8', String: 'text', Boolean: 'bool' };

/** Returns a field as a key. `type` is a GraphQL type, such as `[Int!]!`. */
export function fieldKey(name: string, type: string): JoinKey {
  const inner = type.replace(/[[\]!\s]/g, '');
  const known = builtIn[inner] ?? (familyOf(inner) === 'other' ? '' : inner);
  return { name, type, sqlType: known !== '' && type.includes('[') ? `${known}[]` : known };
}

/** Returns why the values of a key are no values of an argument, or undefined. */
export function whyUnfitArgument(key: JoinKey, type: GraphQLInputType): string | undefined {
  return fits(key.sqlType, key.values, type) ? undefined : `has type ${key.type}, which does not fit ${type}`;
}

const fractional = /^(real|double precision|float[48])/;
const notText: ReadonlySet<Family> = new Set(['boolean', 'array', 'json', 'jsonb']);

function fits(sqlType: string, values: JoinKey['values'], type: GraphQLInputType): boolean {
  const nullable = getNullableType(type);
  if (sqlType === '') return true;
  const family = familyOf(sqlType);
  if (family === 'json' || family === 'jsonb') return true;
  if (isListType(nullable)) return fits(elementOf(sqlType), values, nullable.ofType);
  if (isInputObjectType(nullable)) return family === 'other' && values === undefined;
  if (isEnumType(nullable)) return enumFits(family, values, nullable);
  switch (nullable.name) {
    case 'Int':
      return family === 'number' && !fractional.test(sqlType);
    case 'Float':
      return family === 'number';
    case 'Boolean':
      return family === 'boolean';
    case 'ID':
      return !notText.has(family) && !fractional.test(sqlType);
    case 'String':
      return !notText.has(family);
    default:
      return true;
  }
}

function enumFits(family: Family, values: JoinKey['values'], type: GraphQLEnumType): boolean {
  return values === undefined ? family === 'text' : values.some((value) => type.getValue(value) !== undefined);
}

function elementOf(sqlType: string): string {
  return sqlType.replace(/\[\]$/, '').replace(/^_/, '');
}

/** Returns why a key cannot be compared with a column, or passed as an argument of a function; or undefined. */
export function whyUnfitColumn(key: JoinKey, what: 'column' | 'argument', type: string): string | undefined {
  if (key.sqlType === '') return undefined;
  const own = elementOf(key.sqlType);
  const other = elementOf(type);
  if (own === other) return undefined;
  const families = [familyOf(own), familyOf(other)] as const;
  if (families[0] === families[1] && families[0] !== 'other') return undefined;
  return `${key.name} has type ${key.type}, and the ${what} has type ${type}`;
}

/**
 * Returns the key that supplies an argument of this name. `subjects` name what the argument belongs to, such as its
 * field and the type of the field; `owner` what has the keys. `isCertain`: more than the name `id` is equal.
 */
export function suggestedKey(
  name: string,
  keys: readonly JoinKey[],
  { subjects, owner }: { readonly subjects: readonly string[]; readonly owner: string },
  isFit: (key: JoinKey) => boolean,
): { readonly key: JoinKey; readonly isCertain: boolean } | undefined {
  const candidates = keys.filter(isFit);
  const named = (wanted: string) => candidates.find((key) => plain(key.name) === wanted);
  const wanted = plain(name);
  if (wanted === 'id' || wanted === 'ids') {
    for (const subject of subjects) {
      const key = named(`${singular(plain(subject))}id`);
      if (key !== undefined) return { key, isCertain: true };
    }
    const key = named(wanted);
    const isSame = subjects.some((subject) => singular(plain(subject)) === singular(plain(owner)));
    return key && { key, isCertain: isSame };
  }
  const same = named(wanted);
  if (same !== undefined) return { key: same, isCertain: true };
  const id = wanted === `${singular(plain(owner))}id` ? named('id') : undefined;
  return id && { key: id, isCertain: true };
}

function plain(name: string): string {
  return name.replaceAll(/[^0-9A-Za-z]/g, '').toLowerCase();
}

function singular(name: string): string {
  return /[^s]s$/.test(name) ? name.slice(0, -1) : name;
}
