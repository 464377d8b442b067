/**
 * Suggests relationships of an output type to tables, by the names of its fields: `customerId` refers to
 * `customers.id`, and is in `invoice.customer_id` again.
 */
import type { SuggestedActionRelationship } from '@joinery/metadata/api/sources/catalog';
import type { Model } from '../model.ts';
import { snakeCase } from '../names/naming-convention.ts';
import { nameOfReferred, nameOfReferring, singular } from '../names/relationship-names.ts';
import type { OutputField, OutputObject } from '../types/action.ts';
import type { Column, Join, Table } from '../types/table.ts';
import { outputMismatch } from './action-joins.ts';

const MOST = 50;

/** A pair of a field and the column that it matches. */
type Pair = readonly [field: OutputField, column: Column];

interface Found {
  readonly type: 'object' | 'array';
  readonly table: Table;
  readonly pairs: readonly Pair[];
}

/** Returns relationships that the type does not have yet, those to one row first. */
export function suggestOutputJoins(
  object: OutputObject,
  { sources, outputJoins }: Model,
): SuggestedActionRelationship[] {
  const joins = outputJoins.get(object) ?? new Map<string, Join>();
  const words = wordsOf(object.name);
  const fields = [...object.fields.values()].map((field) => ({ field, words: wordsOf(field.name) }));
  const found = [...sources.values()]
    .flatMap(({ tables }) => [...tables.values()])
    .filter((table) => table.hidden !== true)
    .flatMap((table) => [...toRows(fields, words, table), ...toLists(fields, words, table)])
    .filter((one) => ![...joins.values()].some((join) => covers(join, one)));
  const sorted = [...found.filter(isObject), ...found.filter((one) => !isObject(one))].slice(0, MOST);
  return named(sorted, new Set([...object.fields.keys(), ...joins.keys()]), isCamelCase(object));
}

interface NamedField {
  readonly field: OutputField;
  /** Such as `customer id`. */
  readonly words: string;
}

/** The rows of the table whose key the fields are. */
function toRows(fields: readonly NamedField[], typeWords: string, table: Table): readonly Found[] {
  const tableWords = wordsOf(singular(table.name));
  return keysOf(table).flatMap((key): readonly Found[] => {
    const [column, another] = key;
    if (column === undefined) return [];
    const columnWords = wordsOf(column.name);
    if (another === undefined) {
      const refers = (words: string): boolean =>
        endsWith(words, `${tableWords} ${columnWords}`) ||
        (words === columnWords && (columnWords.includes(' ') || endsWith(typeWords, tableWords)));
      return fields
        .filter(({ field, words }) => refers(words) && fits([field, column]))
        .map(({ field }) => ({ type: isListType(field) ? 'array' : 'object', table, pairs: [[field, column]] }));
    }
    const pairs = key.flatMap((part): readonly Pair[] => {
      const same = fields.find(({ field, words }) => words === wordsOf(part.name) && fits([field, part]));
      return same === undefined ? [] : [[same.field, part]];
    });
    return pairs.length === key.length ? [{ type: 'object', table, pairs }] : [];
  });
}

/** The rows that refer to the same as a field, or to the object itself. */
function toLists(fields: readonly NamedField[], typeWords: string, table: Table): readonly Found[] {
  const unique = new Set(keysOf(table).flatMap((key) => (key.length === 1 ? key : [])));
  const wanted = new Map(
    fields.flatMap(({ field, words }) => [
      ...(reference.test(words) ? [[words, field] as const] : []),
      [`${typeWords} ${words}`, field] as const,
    ]),
  );
  return [...table.columnsByName.values()].flatMap((column): readonly Found[] => {
    const field = unique.has(column) ? undefined : wanted.get(wordsOf(column.name));
    return field !== undefined && fits([field, column]) ? [{ type: 'array', table, pairs: [[field, column]] }] : [];
  });
}

/** Names of references, such as `customer id`, of at least two words. */
const reference = / (?:id|uuid|key|code|number)$/;

function keysOf({ primaryKey, uniqueKeys, columnsByName }: Table): readonly (readonly Column[])[] {
  const others = uniqueKeys.map(({ columns }) => columns.flatMap((name) => columnsByName.get(name) ?? []));
  const all = primaryKey === undefined ? others : [primaryKey, ...others];
  const texts = new Set<string>();
  return all.filter((key) => {
    const text = key.map(({ name }) => name).join(' ');
    return !texts.has(text) && texts.add(text);
  });
}

function fits([field, column]: Pair): boolean {
  return outputMismatch(field, column.type) === undefined;
}

function isListType({ type }: OutputField): boolean {
  return (type.kind === 'nonNull' ? type.of : type).kind === 'list';
}

function isObject({ type }: Found): boolean {
  return type === 'object';
}

/** Whether the type is joined by these pairs already, or by more. */
function covers({ keys, target }: Join, { table, pairs }: Found): boolean {
  if (target.kind !== 'table' || target.table !== table) return false;
  return pairs.every(([field, column]) =>
    keys.some((key, index) => key.name === field.name && target.match[index] === column),
  );
}

function named(found: readonly Found[], taken: Set<string>, isCamel: boolean): SuggestedActionRelationship[] {
  const names = { taken, convention: isCamel ? ('graphql-default' as const) : undefined };
  return found.map(({ type, table, pairs }) => {
    const fields = pairs.map(([field]) => field.name as string);
    const name =
      type === 'object' ? nameOfReferred(fields, table.name, names) : nameOfReferring(fields, table.name, false, names);
    taken.add(name);
    return {
      name,
      type,
      source: table.source,
      remote_table: { schema: table.schema, name: table.name },
      field_mapping: Object.fromEntries(pairs.map(([field, column]) => [field.name, column.name])),
    };
  });
}

function isCamelCase({ fields }: OutputObject): boolean {
  const names = [...fields.keys()];
  return names.some((name) => /[a-z][A-Z]/.test(name)) && !names.some((name) => /[a-z]_[a-z]/.test(name));
}

/** Returns `customer id` for `customerId`, `customer_id` and `CustomerID`. */
function wordsOf(name: string): string {
  return snakeCase(name.replaceAll(/[A-Z]+(?![a-z])/g, (letters) => letters.charAt(0) + letters.slice(1).toLowerCase()))
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
    .join(' ');
}

function endsWith(words: string, end: string): boolean {
  return words === end || words.endsWith(` ${end}`);
}
