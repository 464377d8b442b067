/** Reads all rows of a filter in pages that begin after the key of the row before. */
import type { Client } from '../../../api/client.ts';
import { Failure } from '../../../api/failure.ts';
import { type OrderKey, startAfter, whereAfter, writeOrder } from '../row-model/row-order.ts';
import { isPlain, type Row } from '../row-model/row-values.ts';
import { readRows } from '../row-model/rows-api.ts';
import type { RowsScope } from '../row-model/rows-scope.ts';

/** Rows of a page. */
const PAGE = 5_000;
/** Rows without a key, which one request reads. */
const MAX_UNKEYED = 100_000;

type ExportScope = Pick<RowsScope, 'target' | 'info' | 'columns' | 'where' | 'order' | 'session'>;

/** Returns a total order of the rows by columns that the caller can read. Undefined where there is none. */
export function totalOrder({ info, columns, order }: ExportScope): readonly OrderKey[] | undefined {
  const key = info.primary_key;
  const isReadable = (name: string): boolean => columns.some((column) => column.name === name);
  if (key === null || !key.every(isReadable)) return undefined;
  const rest = key.filter((name) => order.every(({ column }) => column !== name));
  return [...order, ...rest.map((column): OrderKey => ({ column, direction: 'asc', nullable: false }))];
}

/** Yields the pages. Throws Failure. */
export async function* readAllRows(
  client: Client,
  scope: ExportScope,
  signal: AbortSignal,
): AsyncGenerator<readonly Row[], undefined, undefined> {
  const { target, columns, where, session = {} } = scope;
  const names = columns.map(({ name }) => name);
  const order = totalOrder(scope);
  const read = async (condition: object, limit: number): Promise<readonly Row[]> => {
    const sorted = writeOrder(order ?? scope.order);
    // A hidden column that the rows are sorted by is part of the position.
    const selected = [...new Set([...names, ...(order ?? []).map(({ column }) => column)])];
    const query = { columns: selected, where: condition, order: sorted, limit, offset: 0 };
    return (await readRows(client, target, query, session, signal)).value;
  };
  if (order === undefined) {
    yield await readAtOnce(read, where);
    return;
  }
  let size = PAGE;
  let after: readonly unknown[] | undefined;
  for (;;) {
    const condition = after === undefined ? where : { $and: [where, whereAfter(order, after)] };
    let rows: readonly Row[];
    try {
      rows = await read(condition, size);
    } catch (error) {
      // Rows with large values.
      if (!(error instanceof Failure) || error.code !== 'result-limit-exceeded' || size === 1) throw error;
      size = Math.ceil(size / 10);
      continue;
    }
    yield rows;
    const last = rows.at(-1);
    // A role may have a smaller limit than the page, so that only an empty page is the last.
    if (last === undefined || (scope.session === undefined && rows.length < size)) return;
    after = startAfter(last, order);
    if (!after.every(isPlain)) throw unordered(order);
  }
}

async function readAtOnce(
  read: (where: object, limit: number) => Promise<readonly Row[]>,
  where: object,
): Promise<readonly Row[]> {
  const rows = await read(where, MAX_UNKEYED + 1);
  if (rows.length <= MAX_UNKEYED) return rows;
  const message = `the rows have no key that is readable here and are read by one request, of at most ${MAX_UNKEYED.toLocaleString('en')} rows; filter them`;
  throw new Failure({ code: 'result-limit-exceeded', message });
}

function unordered(order: readonly OrderKey[]): Failure {
  const message = `rows sorted by ${order[0]?.column} cannot be read in pages; sort by another column`;
  return new Failure({ code: 'not-supported', message });
}
