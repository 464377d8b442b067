/** Operators of row rules, their column types and operands. Pure. */
import { type Family, familyOf } from '../sources/type-family.ts';

/**
 * Kind of the operand: a value of the column's type (`same`), a list of them, a boolean, one or several texts, another
 * column, or other JSON.
 */
export type Argument = 'same' | 'list' | 'boolean' | 'text' | 'texts' | 'column' | 'json';

export interface RuleOperator {
  readonly name: string;
  /** Label between column and operand. */
  readonly reads: string;
  readonly argument: Argument;
  /** Families of columns that have the operator. Undefined: all with equality. */
  readonly families?: readonly Family[];
}

const text: readonly Family[] = ['text'];
const containers: readonly Family[] = ['array', 'range', 'jsonb'];
const jsonb: readonly Family[] = ['jsonb'];
const ltree: readonly Family[] = ['ltree'];
const geometry: readonly Family[] = ['geometry'];
const spatial: readonly Family[] = ['geometry', 'geography'];
const raster: readonly Family[] = ['raster'];
const every: readonly Family[] = [
  ...['number', 'boolean', 'text', 'time', 'uuid', 'json', 'jsonb', 'array', 'range', 'ltree', 'geometry'],
  ...['geography', 'raster', 'other'],
] as readonly Family[];

const operators: readonly RuleOperator[] = [
  { name: '_eq', reads: 'equals', argument: 'same' },
  { name: '_neq', reads: 'does not equal', argument: 'same' },
  { name: '_in', reads: 'is one of', argument: 'list' },
  { name: '_nin', reads: 'is none of', argument: 'list' },
  { name: '_gt', reads: 'is greater than', argument: 'same' },
  { name: '_gte', reads: 'is at least', argument: 'same' },
  { name: '_lt', reads: 'is less than', argument: 'same' },
  { name: '_lte', reads: 'is at most', argument: 'same' },
  { name: '_is_null', reads: 'is null', argument: 'boolean', families: every },
  { name: '_like', reads: 'is like', argument: 'same', families: text },
  { name: '_nlike', reads: 'is not like', argument: 'same', families: text },
  { name: '_ilike', reads: 'is like, in any case', argument: 'same', families: text },
  { name: '_nilike', reads: 'is not like, in any case', argument: 'same', families: text },
  { name: '_similar', reads: 'is similar to', argument: 'same', families: text },
  { name: '_nsimilar', reads: 'is not similar to', argument: 'same', families: text },
  { name: '_regex', reads: 'matches', argument: 'same', families: text },
  { name: '_nregex', reads: 'does not match', argument: 'same', families: text },
  { name: '_iregex', reads: 'matches, in any case', argument: 'same', families: text },
  { name: '_niregex', reads: 'does not match, in any case', argument: 'same', families: text },
  { name: '_contains', reads: 'contains', argument: 'same', families: containers },
  { name: '_contained_in', reads: 'is contained in', argument: 'same', families: containers },
  { name: '_has_key', reads: 'has the key', argument: 'text', families: jsonb },
  { name: '_has_keys_any', reads: 'has any of the keys', argument: 'texts', families: jsonb },
  { name: '_has_keys_all', reads: 'has all of the keys', argument: 'texts', families: jsonb },
  { name: '_jsonb_path_exists', reads: 'has an item at the path', argument: 'text', families: jsonb },
  { name: '_jsonb_path_match', reads: 'fulfils the path', argument: 'text', families: jsonb },
  { name: '_cast', reads: 'cast to', argument: 'json', families: ['jsonb', 'geometry', 'geography'] },
  { name: '_ancestor', reads: 'is an ancestor of', argument: 'same', families: ltree },
  { name: '_ancestor_any', reads: 'is an ancestor of any of', argument: 'list', families: ltree },
  { name: '_descendant', reads: 'is a descendant of', argument: 'same', families: ltree },
  { name: '_descendant_any', reads: 'is a descendant of any of', argument: 'list', families: ltree },
  { name: '_matches', reads: 'matches the query', argument: 'text', families: ltree },
  { name: '_matches_any', reads: 'matches any of the queries', argument: 'texts', families: ltree },
  { name: '_matches_fulltext', reads: 'matches the text query', argument: 'text', families: ltree },
  { name: '_matches_fulltext_any', reads: 'matches any of the text queries', argument: 'texts', families: ltree },
  { name: '_st_contains', reads: 'contains', argument: 'json', families: geometry },
  { name: '_st_crosses', reads: 'crosses', argument: 'json', families: geometry },
  { name: '_st_equals', reads: 'has the shape of', argument: 'json', families: geometry },
  { name: '_st_overlaps', reads: 'overlaps', argument: 'json', families: geometry },
  { name: '_st_touches', reads: 'touches', argument: 'json', families: geometry },
  { name: '_st_within', reads: 'lies within', argument: 'json', families: geometry },
  { name: '_st_intersects', reads: 'intersects', argument: 'json', families: spatial },
  { name: '_st_3d_intersects', reads: 'intersects in 3D', argument: 'json', families: geometry },
  { name: '_st_d_within', reads: 'is within a distance', argument: 'json', families: spatial },
  { name: '_st_3d_d_within', reads: 'is within a distance in 3D', argument: 'json', families: geometry },
  { name: '_st_intersects_rast', reads: 'intersects the raster', argument: 'json', families: raster },
  { name: '_st_intersects_nband_geom', reads: 'has a band that intersects', argument: 'json', families: raster },
  { name: '_st_intersects_geom_nband', reads: 'intersects the geometry', argument: 'json', families: raster },
  { name: '_ceq', reads: 'equals the column', argument: 'column' },
  { name: '_cne', reads: 'does not equal the column', argument: 'column' },
  { name: '_cgt', reads: 'is greater than the column', argument: 'column' },
  { name: '_cgte', reads: 'is at least the column', argument: 'column' },
  { name: '_clt', reads: 'is less than the column', argument: 'column' },
  { name: '_clte', reads: 'is at most the column', argument: 'column' },
];

const byName: ReadonlyMap<string, RuleOperator> = new Map(operators.map((one) => [one.name, one]));

/** Returns the current name. Older metadata use `$eq`, `_ne` and `_cneq`. */
export function currentOperator(written: string): string {
  const name = written.startsWith('$') ? `_${written.slice(1)}` : written;
  return name === '_ne' ? '_neq' : name === '_cneq' ? '_cne' : name;
}

/** Finds an operator by any of its spellings. */
export function operatorNamed(written: string): RuleOperator | undefined {
  return byName.get(currentOperator(written));
}

export function isOperator(written: string): boolean {
  return operatorNamed(written) !== undefined;
}

const withoutEquality: ReadonlySet<Family> = new Set(['json']);
const spatialFamilies: ReadonlySet<Family> = new Set(['geometry', 'geography', 'raster']);

/** Returns the operators of a column type, the most common first. */
export function operatorsOf(type: string): readonly RuleOperator[] {
  const family = familyOf(type);
  const plain = !withoutEquality.has(family);
  return operators.filter(({ families }) => (families === undefined ? plain : families.includes(family)));
}

/** Whether values of the type are entered as JSON. */
export function isTypedAsJson(type: string): boolean {
  const family = familyOf(type);
  return family === 'json' || family === 'jsonb' || family === 'array' || spatialFamilies.has(family);
}
