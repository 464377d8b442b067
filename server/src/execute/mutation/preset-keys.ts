/** Keys of related rows in columns that have a preset: the preset is stored, another key is rejected. */
import { ServiceError } from '../../base/errors.ts';
import type { Column, InsertAccess, Relationship } from '../../model/types/table.ts';
import { type Preset, printOtherKeys } from '../../print/mutate/insert.ts';
import { send, type Writer } from './mutation-statement.ts';

/** The key of a related row, by columns of the rows to insert. */
export interface RelatedKey {
  /** In PostgreSQL's text form. */
  readonly values: ReadonlyMap<Column, string | null>;
  /** The path of the related rows in the mutation. */
  readonly path: string;
}

/**
 * Throws `permission-error` for a key that differs from the preset of its column. PostgreSQL compares the values, because
 * equal values can have different text forms. Sends no statement if no key column has a preset.
 */
export async function rejectOtherKeys(
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
