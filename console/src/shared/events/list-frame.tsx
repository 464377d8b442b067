/** The frame of event lists: filters, refresh, errors, empty state and pages. */
import { Group, Stack } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import { toFailure } from '../../api/failure.ts';
import { intervalAfter, type Timed } from '../../api/polling.ts';
import { updateSearch } from '../../router/location.ts';
import { FailureNotice } from '../../ui/feedback/failure-notice.tsx';
import { LastUpdated } from '../../ui/feedback/last-updated.tsx';
import { Loading } from '../../ui/feedback/loading.tsx';
import { Pager } from '../../ui/table/pager.tsx';
import { type Page, pagesOf, writePage } from '../../ui/table/paging.ts';

interface ListFrameProps<Row> {
  /** Title of the error. */
  readonly title: string;
  readonly query: UseQueryResult<Timed<readonly Row[]>>;
  readonly page: Page;
  /** Number of rows on all pages. Undefined while loading. */
  readonly count: number | undefined;
  readonly estimated?: boolean;
  readonly onRefresh: () => void;
  /** See `Pager`. */
  readonly onEnd?: (() => void) | undefined;
  readonly filters?: ReactNode;
  readonly empty: ReactNode;
  readonly children: (rows: readonly Row[]) => ReactNode;
}

export function ListFrame<Row>(props: ListFrameProps<Row>) {
  const { title, query, page, count, estimated = false, onRefresh, onEnd, filters, empty, children } = props;
  const { data, error, isFetching, dataUpdatedAt } = query;
  const rows = data?.value;
  useReturnToLastPage(page, rows?.length, estimated ? undefined : count);
  return (
    <Stack gap="sm">
      <Group justify="space-between" align="flex-start" gap="xs" mih={28} wrap="nowrap">
        <div style={{ flex: 1, minWidth: 0 }}>{filters}</div>
        <LastUpdated pauseMs={intervalAfter(data?.durationMs)} reading={isFetching} onRefresh={onRefresh} />
      </Group>
      {error !== null && (
        <FailureNotice
          title={title}
          failure={toFailure(error)}
          shownFrom={rows === undefined ? undefined : dataUpdatedAt}
          onRetry={onRefresh}
        />
      )}
      {rows === undefined ? error === null && <Loading /> : rows.length > 0 ? children(rows) : empty}
      {rows !== undefined && (rows.length > 0 || page.number > 1) && (
        <Pager
          page={page}
          shown={rows.length}
          count={count ?? onlyPage(page, rows.length)}
          estimated={estimated}
          onChange={(next) => updateSearch(writePage(next))}
          onEnd={onEnd}
        />
      )}
    </Stack>
  );
}

/** Returns the count when the first page contains all rows. */
function onlyPage({ number, size }: Page, shown: number): number | undefined {
  return number === 1 && shown < size ? shown : undefined;
}

/** Returns to the last page when rows disappear. */
function useReturnToLastPage(page: Page, shown: number | undefined, count: number | undefined): void {
  const last = count === undefined ? undefined : pagesOf(count, page.size);
  useEffect(() => {
    if (shown !== 0 || last === undefined || page.number <= last) return;
    updateSearch(writePage({ ...page, number: last }));
  }, [shown, last, page]);
}
