/** Suggests names for relationships of foreign keys: `customer`, `order_items`. */

import type { NamingConvention } from '../types/naming.ts';
import { camelCase } from './naming-convention.ts';

/** The names in use in a table, including names suggested before. */
export interface NamesOfTable {
  readonly taken: ReadonlySet<string>;
  readonly convention: NamingConvention | undefined;
}

/** The name of the object relationship of a foreign key on this table. */
export function nameOfReferred(columns: readonly string[], table: string, names: NamesOfTable): string {
  const [column = '', another] = columns;
  const stem = another === undefined ? /^(.+?)(?:_id|_?Id|_ID|_uuid|_fk)$/s.exec(column)?.[1] : undefined;
  const one = singular(table);
  return firstFree([...(stem === undefined ? [] : [stem]), one, `${one}_by_${columns.join('_')}`], false, names);
}

/** The name of the relationship to the rows that refer to this table; to one row if the key is unique. */
export function nameOfReferring(
  columns: readonly string[],
  table: string,
  unique: boolean,
  names: NamesOfTable,
): string {
  const base = unique ? singular(table) : plural(table);
  return firstFree([base, `${base}_by_${columns.join('_')}`], !unique, names);
}

/** An array relationship uses the name of its aggregate as well. */
function firstFree(candidates: readonly string[], many: boolean, { taken, convention }: NamesOfTable): string {
  const free = (name: string): boolean =>
    !taken.has(name) && (!many || !(taken.has(`${name}_aggregate`) || taken.has(`${name}Aggregate`)));
  const written = candidates.map((name) => {
    const plain = name.replaceAll(/[^_0-9A-Za-z]+/g, '_').replace(/^(?=\d|$)/, '_');
    return convention === 'graphql-default' ? camelCase(plain) : plain;
  });
  const found = written.find(free);
  if (found !== undefined) return found;
  const last = written.at(-1) ?? 'related';
  let number = 2;
  while (!free(`${last}_${number}`)) number += 1;
  return `${last}_${number}`;
}

/** A name that ends in a single s counts as a plural. */
function plural(word: string): string {
  if (/[^s]s$/i.test(word) && singular(word) !== word) return word;
  if (/[^aeiou]y$/i.test(word)) return word.replace(/y$/i, 'ies');
  return /(?:s|x|z|ch|sh)$/i.test(word) ? `${word}es` : `${word}s`;
}

export function singular(word: string): string {
  if (/[^aeiou]ies$/i.test(word) && word.length > 4) return word.replace(/ies$/i, 'y');
  if (/(?:ss|x|z|ch|sh)es$/i.test(word)) return word.replace(/es$/i, '');
  return /[^sui]s$/i.test(word) ? word.replace(/s$/i, '') : word;
}
