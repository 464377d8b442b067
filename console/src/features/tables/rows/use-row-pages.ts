/** Loads the visible rows of a list in pages, and remembers how far the list extends. */
import { useQueries, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { useClient } from '../../../api/context.ts';
import { type OrderKey, reversed, startAfter, whereAfter, writeOrder } from '../row-model/row-order.ts';
import { isPlain, type Row } from '../row-model/row-values.ts';
import { type RowsQuery, readRows, type Session, type Target } from '../row-model/rows-api.ts';

/** Rows of one request. */
export const PAGE_SIZE = 100;
/** Rows before and after the visible ones that are loaded too. */
const AHEAD = 40;
/** Milliseconds that pages are kept which are not visible. */
const KEPT_MS = 60_000;

export interface RowList {
  readonly target: Target;
  readonly columns: readonly string[];
  readonly where: object;
  /** A total order if `isKeyed`. */
  readonly order: readonly OrderKey[];
  readonly isKeyed: boolean;
  readonly session: Session | undefined;
}

/** How far a list is known. */
interface Extent {
  readonly list: string;
  /** Rows up to the end of the last page that was loaded. */
  readonly rows: number;
  readonly isEnd: boolean;
}

interface RowPages {
  /** Identifies the filter, the order and the role. */
  readonly list: string;
  /** Undefined while loading. */
  readonly rowAt: (index: number) => Row | undefined;
  /** The loaded rows that are visible or near. */
  readonly loaded: readonly Row[];
  /** The same rows with their indexes. */
  readonly entries: readonly (readonly [index: number, row: Row])[];
  readonly isLoading: boolean;
  readonly error: Error | null;
  /** When the rows were read, in milliseconds since 1970. */
  readonly readAt: number;
  /** Undefined until a page is loaded. */
  readonly extent: Extent | undefined;
  /** Whether a page is empty because the list ends before it. */
  readonly isBeyondEnd: boolean;
  readonly onRange: (first: number, last: number) => void;
}

export function useRowPages(list: RowList): RowPages {
  const client = useClient();
  const queries = useQueryClient();
  const key = JSON.stringify(list);
  const [range, setRange] = useState({ key, firstPage: 0, lastPage: 0 });
  const { firstPage, lastPage } = range.key === key ? range : { firstPage: 0, lastPage: 0 };
  const [extent, setExtent] = useState<Extent>();
  const pages = Array.from({ length: lastPage - firstPage + 1 }, (_, index) => firstPage + index);
  const keyOf = (page: number) => ['rows', list.target, 'page', key, page];
  const rowsOf = (page: number): readonly Row[] | undefined => queries.getQueryData<readonly Row[]>(keyOf(page));
  const results = useQueries({
    queries: pages.map((page) => ({
      queryKey: keyOf(page),
      gcTime: KEPT_MS,
      staleTime: KEPT_MS,
      queryFn: async ({ signal }: { readonly signal: AbortSignal }): Promise<readonly Row[]> => {
        const read = async (part: RowsQuery): Promise<readonly Row[]> =>
          (await readRows(client, list.target, part, list.session ?? {}, signal)).value;
        // A page that is read again may begin at another row: rows were inserted or deleted.
        if (rowsOf(page) === undefined) {
          const beside = besideOf(list, rowsOf(page - 1), rowsOf(page + 1));
          const rows = beside && (await read(beside.query));
          if (rows !== undefined && (!beside?.isBefore || rows.length === PAGE_SIZE)) {
            return beside?.isBefore === true ? rows.toReversed() : rows;
          }
        }
        return read({ ...partOf(list, list.where, list.order), offset: page * PAGE_SIZE });
      },
    })),
  });
  const data = results.map((result) => result.data);
  const known = extent?.list === key ? extent : undefined;
  const next = extentAfter(key, known, firstPage, data);
  useEffect(() => {
    if (next !== undefined) setExtent(next);
  });
  const loadedKey = results.map(({ dataUpdatedAt }) => dataUpdatedAt).join(' ');
  // biome-ignore lint/correctness/useExhaustiveDependencies: `loadedKey` identifies the data
  const rowAt = useMemo(() => {
    return (index: number): Row | undefined => data[Math.floor(index / PAGE_SIZE) - firstPage]?.[index % PAGE_SIZE];
  }, [key, firstPage, loadedKey]);
  // Scrolling within the loaded pages renders the rows alone.
  const onRange = useCallback(
    (from: number, to: number): void => {
      const next = { key, firstPage: pageOf(Math.max(0, from - AHEAD)), lastPage: pageOf(to + AHEAD) };
      setRange((before) => (isSameRange(before, next) ? before : next));
    },
    [key],
  );
  return {
    list: key,
    rowAt,
    loaded: data.flatMap((rows) => rows ?? []),
    entries: data.flatMap((rows, page) =>
      (rows ?? []).map((row, index) => [(firstPage + page) * PAGE_SIZE + index, row] as const),
    ),
    isLoading: results.some(({ isFetching }) => isFetching),
    error: results.find(({ error }) => error !== null)?.error ?? null,
    readAt: Math.max(...results.map(({ dataUpdatedAt }) => dataUpdatedAt)),
    extent: next ?? known,
    isBeyondEnd: data.some((rows, index) => rows?.length === 0 && firstPage + index > 0),
    onRange,
  };
}

interface PageRange {
  readonly key: string;
  readonly firstPage: number;
  readonly lastPage: number;
}

function isSameRange(one: PageRange, other: PageRange): boolean {
  return one.key === other.key && one.firstPage === other.firstPage && one.lastPage === other.lastPage;
}

function pageOf(index: number): number {
  return Math.floor(index / PAGE_SIZE);
}

function partOf({ columns }: RowList, where: object, order: readonly OrderKey[]): RowsQuery {
  return { columns, where, order: writeOrder(order), limit: PAGE_SIZE, offset: 0 };
}

/** Returns the query of a page that begins after or ends before the rows beside it. Undefined without such rows. */
function besideOf(
  list: RowList,
  before: readonly Row[] | undefined,
  after: readonly Row[] | undefined,
): { readonly query: RowsQuery; readonly isBefore: boolean } | undefined {
  if (!list.isKeyed) return undefined;
  const query = (row: Row | undefined, order: readonly OrderKey[]): RowsQuery | undefined => {
    const values = row === undefined ? [] : startAfter(row, order);
    // Lists and objects cannot always be used in conditions.
    if (values.length === 0 || !values.every(isPlain)) return undefined;
    return partOf(list, { $and: [list.where, whereAfter(order, values)] }, order);
  };
  const following = before?.length === PAGE_SIZE ? query(before.at(-1), list.order) : undefined;
  if (following !== undefined) return { query: following, isBefore: false };
  const preceding = query(after?.[0], reversed(list.order));
  return preceding && { query: preceding, isBefore: true };
}

/** Returns the extent after pages were loaded. Undefined if it is unchanged. */
function extentAfter(
  list: string,
  known: Extent | undefined,
  firstPage: number,
  data: readonly (readonly Row[] | undefined)[],
): Extent | undefined {
  let extent = known;
  data.forEach((rows, index) => {
    if (rows === undefined) return;
    const page = firstPage + index;
    const end = page * PAGE_SIZE + rows.length;
    const isEnd = rows.length < PAGE_SIZE && (rows.length > 0 || page === 0 || extent?.rows === end);
    if (isEnd) extent = { list, rows: end, isEnd };
    else if (rows.length > 0 && (extent === undefined || end > extent.rows)) extent = { list, rows: end, isEnd };
    else if (rows.length === 0 && extent === undefined) extent = { list, rows: 0, isEnd: false };
  });
  if (extent === undefined) return undefined;
  const isSame = extent.rows === known?.rows && extent.isEnd === known?.isEnd;
  return isSame ? undefined : extent;
}
