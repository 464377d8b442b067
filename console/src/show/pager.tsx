/** Under a list: which rows these are, the way to the others, and how many at a time. */
import { Group, NativeSelect, Pagination, Text } from '@mantine/core';
import { type Page, pageSizes, pagesOf, rangeOf } from './paging.ts';
import { useNarrow } from './use-narrow.ts';

interface PagerProps {
  readonly page: Page;
  /** Rows on this page. */
  readonly shown: number;
  /** Rows on all pages; undefined while they are being counted. */
  readonly count: number | undefined;
  readonly onChange: (page: Page) => void;
}

export function Pager({ page, shown, count, onChange }: PagerProps) {
  const narrow = useNarrow();
  const pages = Math.max(pagesOf(count ?? 0, page.size), page.number);
  return (
    <Group justify="space-between" gap="sm">
      <Text size="sm" c="dimmed">
        {rangeOf(page, shown, count)}
      </Text>
      {pages > 1 && (
        <Pagination
          size="sm"
          total={pages}
          value={page.number}
          siblings={narrow ? 0 : 1}
          onChange={(number) => onChange({ ...page, number })}
          getItemProps={(number) => ({ 'aria-label': `Page ${number}` })}
          getControlProps={(control) => ({ 'aria-label': `${control === 'next' ? 'Next' : 'Previous'} page` })}
        />
      )}
      {!narrow && (
        <NativeSelect
          size="xs"
          aria-label="Rows on a page"
          value={String(page.size)}
          onChange={(event) => onChange({ number: 1, size: Number(event.currentTarget.value) })}
          data={pageSizes.map((size) => ({ value: String(size), label: `${size} per page` }))}
        />
      )}
    </Group>
  );
}
