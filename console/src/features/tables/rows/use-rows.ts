/** The rows of a table by the filter and order of the address, and their number. */
import type { TableInfo } from '@joinery/metadata/api/sources/catalog';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { useClient } from '../../../api/context.ts';
import { updateSearch, useLocation } from '../../../router/location.ts';
import { readSorting, type Sorting, writeSorting } from '../../../ui/table/sorting.ts';
import { isReadable, isSortable } from '../row-model/column-family.ts';
import { type Filter, parseFilters, printFilters, whereOf } from '../row-model/row-filters.ts';
import { orderOf } from '../row-model/row-order.ts';
import { COUNTED, countRows, type Session, type Target } from '../row-model/rows-api.ts';
import { PAGE_SIZE, type RowList, useRowPages } from './use-row-pages.ts';

export function useRows(target: Target, info: TableInfo, session: Session | undefined) {
  const { search: address } = useLocation();
  const columns = useMemo(() => info.columns.filter(isReadable), [info]);
  const whereText = address.get('where');
  const filters = useMemo(() => parseFilters(whereText), [whereText]);
  const where = useMemo(() => whereOf(filters, columns), [filters, columns]);
  const sortable = useMemo(() => columns.filter(isSortable).map(({ name }) => name), [columns]);
  const sorting = readSorting(address.get('sort'), sortable);
  const list: RowList = {
    target,
    columns: session === undefined ? columns.map(({ name }) => name) : ['*'],
    where,
    // A role may be unable to sort by the key.
    order: orderOf(sorting, session === undefined ? info.primary_key : null, columns),
    isKeyed: session === undefined && info.primary_key !== null,
    session,
  };
  const pages = useRowPages(list);
  const counting = useCount(target, info, where, pages.extent?.rows, session === undefined);
  const total = totalOf(pages.extent, counting);
  const { canCount, countAll } = counting;
  const isMisjudged = pages.isBeyondEnd && canCount;
  // The estimate was too high: rows were scrolled to that do not exist.
  // biome-ignore lint/correctness/useExhaustiveDependencies: counts once
  useEffect(() => {
    if (isMisjudged) countAll();
  }, [isMisjudged]);
  return {
    pages,
    columns,
    filters,
    where,
    order: list.order,
    sorting,
    sortable,
    counting,
    total,
    onSort: (next: Sorting) => updateSearch({ sort: writeSorting(next) }),
    onFilter: (next: readonly Filter[]) => updateSearch({ where: printFilters(next) }),
  };
}

/** The number of rows of a list. */
export interface Total {
  /** Rows that can be scrolled to. */
  readonly rows: number;
  /** `minimum`: there may be more rows. */
  readonly accuracy: 'exact' | 'estimate' | 'minimum';
}

/** Returns the number of rows by what was loaded and counted. */
export function totalOf(
  extent: { readonly rows: number; readonly isEnd: boolean } | undefined,
  { count, isEstimate }: Pick<Counting, 'count' | 'isEstimate'>,
): Total {
  if (count !== undefined && !isEstimate) return { rows: count, accuracy: 'exact' };
  if (extent?.isEnd === true) return { rows: extent.rows, accuracy: 'exact' };
  const loaded = extent?.rows ?? 0;
  if (count === undefined) return { rows: loaded + PAGE_SIZE, accuracy: 'minimum' };
  return { rows: Math.max(count, loaded + PAGE_SIZE), accuracy: 'estimate' };
}

interface Counting {
  /** Undefined while unknown. */
  readonly count: number | undefined;
  readonly isEstimate: boolean;
  /** Whether the exact number can be requested. */
  readonly canCount: boolean;
  readonly countAll: () => void;
  readonly isCounting: boolean;
}

/** Counts rows: an estimate for large tables, else up to `COUNTED`, and all of them on request. */
function useCount(
  target: Target,
  info: TableInfo,
  where: object,
  loaded: number | undefined,
  isAdmin: boolean,
): Counting {
  const client = useClient();
  const key = JSON.stringify(where);
  const [whole, setWhole] = useState<string>();
  const isAll = whole === key;
  const estimate = Object.keys(where).length === 0 ? (info.estimated_rows ?? 0) : 0;
  const isLarge = estimate > COUNTED;
  const { data, isFetching } = useQuery({
    queryKey: ['rows', target, 'count', where, isAll],
    queryFn: ({ signal }) => countRows(client, target, where, isAll, signal),
    enabled: isAdmin && (isAll || (!isLarge && loaded !== undefined && loaded >= PAGE_SIZE)),
  });
  const shared = { countAll: () => setWhole(key), isCounting: isAll && isFetching };
  if (!isAdmin) return { ...shared, count: undefined, isEstimate: false, canCount: false };
  if (isAll && data !== undefined) return { ...shared, count: data, isEstimate: false, canCount: false };
  if (isLarge) return { ...shared, count: estimate, isEstimate: true, canCount: true };
  if (data === undefined || data > COUNTED) {
    return { ...shared, count: data, isEstimate: data !== undefined, canCount: data !== undefined };
  }
  return { ...shared, count: data, isEstimate: false, canCount: false };
}
