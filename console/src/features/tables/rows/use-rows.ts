/** Queries for a page of rows and for the number of rows. */
import type { TableInfo } from '@joinery/metadata/api/catalog';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useClient } from '../../../api/context.ts';
import { updateSearch, useLocation } from '../../../router/location.ts';
import { type Page, readPage } from '../../../ui/table/paging.ts';
import { readSorting, type Sorting, writeSorting } from '../../../ui/table/sorting.ts';
import { isReadable, isSortable } from '../row-model/column-family.ts';
import { type Filter, parseFilters, printFilters, whereOf } from '../row-model/row-filters.ts';
import { orderOf, startAfter, whereAfter, writeOrder } from '../row-model/row-order.ts';
import { isPlain } from '../row-model/row-values.ts';
import { COUNTED, countRows, readRows, type Session, type Target } from '../row-model/rows-api.ts';

export interface Count {
  readonly count: number;
  readonly estimated: boolean;
}

export function useRows(target: Target, info: TableInfo, session: Session | undefined) {
  const client = useClient();
  const { search: address } = useLocation();
  const columns = useMemo(() => info.columns.filter(isReadable), [info]);
  const page = useMemo(() => readPage(address), [address]);
  const filters = useMemo(() => parseFilters(address.get('where')), [address]);
  const where = useMemo(() => whereOf(filters, columns), [filters, columns]);
  const sortable = columns.filter(isSortable).map(({ name }) => name);
  const sorting = readSorting(address.get('sort'), sortable);
  // A role may be unable to sort by the key.
  const order = orderOf(sorting, session === undefined ? info.primary_key : null, columns);
  const starts = useStarts();
  const list = JSON.stringify([target, where, order, page.size, session]);
  const query = useQuery({
    queryKey: ['rows', target, where, order, page, session ?? null],
    queryFn: async ({ signal }) => {
      const start = starts.get(`${list} ${page.number}`);
      const read = await readRows(
        client,
        target,
        {
          columns: session === undefined ? columns.map(({ name }) => name) : ['*'],
          where: start === undefined ? where : { $and: [where, whereAfter(order, start)] },
          order: writeOrder(order),
          limit: page.size,
          offset: start === undefined ? (page.number - 1) * page.size : 0,
        },
        session ?? {},
        signal,
      );
      const last = read.value.at(-1);
      const next = last === undefined ? [] : startAfter(last, order);
      // Lists and objects cannot always be used in conditions.
      if (session === undefined && info.primary_key !== null && next.length > 0 && next.every(isPlain)) {
        starts.set(`${list} ${page.number + 1}`, next);
      }
      return read;
    },
    enabled: columns.length > 0,
    placeholderData: keepPreviousData,
  });
  return {
    query,
    columns,
    page,
    filters,
    where,
    sorting,
    sortable,
    onSort: (next: Sorting) => updateSearch({ sort: writeSorting(next), page: undefined }),
    onFilter: (next: readonly Filter[]) => updateSearch({ where: printFilters(next), page: undefined }),
  };
}

/** Cursors of the pages that were visited, so that each page costs the same. */
function useStarts(): Map<string, readonly unknown[]> {
  const [starts] = useState(() => new Map<string, readonly unknown[]>());
  return starts;
}

interface Counting {
  /** Undefined while loading. */
  readonly count: Count | undefined;
  /** Whether there are more rows than counted. */
  readonly more: boolean;
  readonly countAll: () => void;
  readonly counting: boolean;
}

/** Counts rows: an estimate for large tables, else up to `COUNTED`, and all of them on request. */
export function useCount(
  target: Target,
  info: TableInfo,
  where: object,
  page: Page,
  shown: number | undefined,
): Counting {
  const client = useClient();
  const key = JSON.stringify(where);
  const [whole, setWhole] = useState<string>();
  const large = Object.keys(where).length === 0 && (info.estimated_rows ?? 0) > COUNTED;
  const all = whole === key;
  const onlyPage = page.number === 1 && shown !== undefined && shown < page.size;
  const { data, isFetching } = useQuery({
    queryKey: ['rows', target, 'count', where, all],
    queryFn: ({ signal }) => countRows(client, target, where, all, signal),
    enabled: all || (!large && !onlyPage && shown !== undefined),
  });
  const countAll = (): void => setWhole(key);
  if (onlyPage) return { count: { count: shown, estimated: false }, more: false, countAll, counting: false };
  if (all) {
    const count = data === undefined ? undefined : { count: data, estimated: false };
    return { count, more: false, countAll, counting: isFetching };
  }
  if (large) {
    return { count: { count: info.estimated_rows ?? 0, estimated: true }, more: true, countAll, counting: false };
  }
  if (data === undefined) return { count: undefined, more: false, countAll, counting: false };
  if (data > COUNTED) return { count: undefined, more: true, countAll, counting: false };
  return { count: { count: data, estimated: false }, more: false, countAll, counting: false };
}
