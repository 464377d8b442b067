/** Nested inserts, one statement a level: referenced rows first, then the row, then the rows that reference it. */
import { ServiceError } from '../../base/errors.ts';
import type { Column, InsertAccess, Relationship } from '../../model/types/table.ts';
import type { InsertLevel, InsertRow, NestedInsert } from '../../plan/mutate/insert.ts';
import { insertInputs, maxRows, type Preset, printInsert, printOtherKeys, shapeOf } from '../../print/mutate/insert.ts';
import { printFirst } from '../../print/mutate/mutate.ts';
import type { Printing } from '../../print/printing.ts';
import { checkFailed, send, type Writer } from './mutation-statement.ts';

interface Inserted {
  /** As composite text. */
  readonly whole: string | null;
  /** The key columns of related rows, as text. */
  readonly keys: ReadonlyMap<Column, string | null>;
}

export interface InsertedRows {
  /** The number of rows of all levels. */
  readonly affected: number;
  /** One for each row of the level; undefined for a row that was skipped because of a conflict. */
  readonly rows: readonly (Inserted | undefined)[];
}

export function hasNested({ rows }: InsertLevel): boolean {
  return rows.some(({ before, after }) => before.length > 0 || after.length > 0);
}

/** Inserts the rows of a level and their nested rows. `keys` are the columns to return of each row. */
export async function insertLevel(
  level: InsertLevel,
  writer: Writer,
  keys: readonly Column[] = [],
): Promise<InsertedRows> {
  // PostgreSQL does not report which of several rows was skipped because of a conflict.
  if (level.conflict !== undefined && level.rows.length > 1 && (keys.length > 0 || hasNested(level))) {
    const parts: InsertedRows[] = [];
    for (const row of level.rows) parts.push(await insertLevel({ ...level, rows: [row] }, writer, keys));
    return { affected: total(parts), rows: parts.flatMap(({ rows }) => rows) };
  }
  let affected = await insertBefore(level, writer);
  const wanted = new Set([...keys, ...nestedIn(level.rows, 'after').flatMap(({ relationship }) => from(relationship))]);
  const rows = await insertRows(level, [...wanted], writer);
  affected += rows.filter((row) => row !== undefined).length;
  affected += await insertAfter(level, rows, writer);
  return { affected, rows };
}

function total(parts: readonly InsertedRows[]): number {
  return parts.reduce((sum, { affected }) => sum + affected, 0);
}

function nestedIn(rows: readonly InsertRow[], side: 'before' | 'after'): readonly NestedInsert[] {
  return rows.flatMap((row) => row[side]);
}

function from({ mapping }: Relationship): readonly Column[] {
  return mapping.map((pair) => pair.from);
}

/** Inserts the referenced rows and sets the keys. Presets are not overridden; a key that differs from one is rejected. */
async function insertBefore({ access, rows }: InsertLevel, writer: Writer): Promise<number> {
  let affected = 0;
  for (const batch of batches(rows, 'before')) {
    const { relationship, path, level } = batch.nested;
    const inserted = await insertLevel(
      { ...level, rows: batch.rows },
      writer,
      relationship.mapping.map(({ to }) => to),
    );
    affected += inserted.affected;
    const keys = batch.parents.map((row, index): RelatedKey => {
      const parent = inserted.rows[index];
      if (parent === undefined) throw nothingInserted('object relation', relationship, path);
      const key = relationship.mapping.map((pair) => [pair.from, parent.keys.get(pair.to) ?? null] as const);
      for (const [column, value] of key) if (!access.presets.has(column)) row.values.set(column, value);
      return { values: new Map(key), path: pathOf(row, 'before', relationship) ?? path };
    });
    await rejectOtherKeys(access, relationship, keys, writer);
  }
  return affected;
}

/** Inserts the referencing rows. Presets are not overridden; a key that differs from one is rejected. */
async function insertAfter(
  level: InsertLevel,
  inserted: readonly (Inserted | undefined)[],
  writer: Writer,
): Promise<number> {
  const known = new Map(level.rows.map((row, index) => [row, inserted[index]]));
  let affected = 0;
  for (const { nested, rows, parents } of batches(level.rows, 'after')) {
    const { relationship, path } = nested;
    const { presets } = nested.level.access;
    const keys = new Map<InsertRow, RelatedKey>();
    rows.forEach((child, index) => {
      const parent = parents[index];
      const there = parent && known.get(parent);
      if (parent === undefined || there === undefined) {
        const { kind, name } = relationship;
        const what = kind === 'object' ? 'object relation' : 'array relations';
        throw nothingInserted(what, { name, target: level.table }, path);
      }
      const key = relationship.mapping.map((pair) => [pair.to, there.keys.get(pair.from) ?? null] as const);
      for (const [column, value] of key) if (!presets.has(column)) child.values.set(column, value);
      keys.set(parent, { values: new Map(key), path: pathOf(parent, 'after', relationship) ?? path });
    });
    await rejectOtherKeys(nested.level.access, relationship, [...keys.values()], writer);
    affected += (await insertLevel({ ...nested.level, rows }, writer)).affected;
  }
  return affected;
}

/** Returns the path of the nested rows of the relationship. */
function pathOf(row: InsertRow, side: 'before' | 'after', relationship: Relationship): string | undefined {
  return row[side].find((nested) => nested.relationship === relationship)?.path;
}

function nothingInserted(what: string, { name, target }: Pick<Relationship, 'name' | 'target'>, path: string): Error {
  return new ServiceError(
    'not-supported',
    `cannot proceed to insert ${what} "${name}" since insert to table "${target.name}" affects zero rows`,
    { path },
  );
}

/** Rows of one relationship that are inserted together, and the parent of each. */
interface Batch {
  readonly nested: NestedInsert;
  readonly rows: InsertRow[];
  readonly parents: InsertRow[];
}

/** Returns one batch for each relationship. If conflicts can skip rows, one for each parent row. */
function batches(rows: readonly InsertRow[], side: 'before' | 'after'): readonly Batch[] {
  const found: Batch[] = [];
  const open = new Map<Relationship, Batch>();
  for (const row of rows) {
    for (const nested of row[side]) {
      const { relationship, level } = nested;
      const known = level.conflict === undefined ? open.get(relationship) : undefined;
      const batch = known ?? { nested, rows: [], parents: [] };
      for (const one of level.rows) {
        batch.rows.push(one);
        batch.parents.push(row);
      }
      if (known === undefined) found.push(batch);
      if (level.conflict === undefined) open.set(relationship, batch);
    }
  }
  return found;
}

async function insertRows(
  level: InsertLevel,
  keys: readonly Column[],
  writer: Writer,
): Promise<readonly (Inserted | undefined)[]> {
  const shape = shapeOf(level);
  const most = maxRows(shape);
  if (level.rows.length > most) {
    const parts: (Inserted | undefined)[] = [];
    for (let start = 0; start < level.rows.length; start += most) {
      for (const one of await insertRows({ ...level, rows: level.rows.slice(start, start + most) }, keys, writer)) {
        parts.push(one);
      }
    }
    return parts;
  }
  const print = (printing: Printing) => printFirst(printInsert(level, shape, printing), keys, printing);
  const inputs = insertInputs(shape, level.rows);
  const { path } = level;
  const signature =
    shape.signature === undefined || level.conflict !== undefined
      ? undefined
      : `nested:${shape.signature}:${keys.map(({ name }) => JSON.stringify(name)).join()}`;
  const likely = level.rows.map(() => ['f', null, ...keys.map(() => null)]);
  const rows = await send({ of: level.access, signature, print, inputs, likely, path }, writer);
  if (rows.some(([failed]) => failed !== 'f')) throw checkFailed(path);
  const inserted = rows.map(([, whole = null, ...values]) => ({
    whole,
    keys: new Map(keys.map((column, index) => [column, values[index] ?? null])),
  }));
  if (level.conflict !== undefined && level.rows.length === 1) return [inserted[0]];
  if (keys.length > 0 && inserted.length !== level.rows.length) {
    throw new ServiceError(
      'not-supported',
      `the table "${level.table.name}" did not take all rows, so none can be nested in them`,
      { path },
    );
  }
  return inserted;
}

/** The key of a related row, by columns of the rows to insert. */
interface RelatedKey {
  /** In PostgreSQL's text form. */
  readonly values: ReadonlyMap<Column, string | null>;
  /** The path of the related rows in the mutation. */
  readonly path: string;
}

/**
 * Throws `permission-error` for a key that differs from the preset of its column. PostgreSQL compares the values, because
 * equal values can have different text forms. Sends no statement if no key column has a preset.
 */
async function rejectOtherKeys(
  access: InsertAccess,
  { kind, name }: Relationship,
  keys: readonly RelatedKey[],
  writer: Writer,
): Promise<void> {
  const [first] = keys;
  if (first === undefined) return;
  const presets = [...access.presets].filter(([column]) => first.values.has(column));
  if (presets.length === 0) return;
  const [found] = await send(
    {
      of: access,
      signature: `other keys:${presets.map(([column]) => JSON.stringify(column.name)).join()}`,
      print: (printing) => printOtherKeys(presets, printing),
      inputs: Object.fromEntries(
        presets.map(([column], index) => [`keys${index}`, keys.map(({ values }) => values.get(column) ?? null)]),
      ),
      likely: [],
      path: first.path,
    },
    writer,
  );
  if (found === undefined) return;
  const [position, ...differs] = found;
  const columns = presets.flatMap(([column]: Preset, index) => (differs[index] === 't' ? [`"${column.field}"`] : []));
  throw new ServiceError(
    'permission-error',
    `cannot insert ${kind} relationship "${name}": its key differs from the column preset of ${columns.join(', ')}`,
    { path: keys[Number(position) - 1]?.path ?? first.path },
  );
}
