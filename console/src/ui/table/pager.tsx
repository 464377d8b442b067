/** Pagination below a list: range, navigation and page size. */
import { Button, Group, NativeSelect, Pagination, Text } from '@mantine/core';
import { useNarrow } from '../page/use-narrow.ts';
import { type Page, pageSizes, pagesOf, rangeOf } from './paging.ts';

interface PagerProps {
  readonly page: Page;
  /** Number of rows on this page. */
  readonly shown: number;
  /** Number of rows on all pages. Undefined until known. */
  readonly count: number | undefined;
  /** The count is an estimate. */
  readonly estimated?: boolean;
  readonly onChange: (page: Page) => void;
  /** Reverses the order when the last page is far away. */
  readonly onEnd?: (() => void) | undefined;
}

/** Maximum number of pages with numbered navigation. */
const MAX_NUMBERED_PAGES = 500;

export function Pager({ page, shown, count, estimated = false, onChange, onEnd }: PagerProps) {
  const narrow = useNarrow();
  const pages = Math.max(pagesOf(count ?? 0, page.size), page.number);
  const numbered = count !== undefined && !estimated && pages <= MAX_NUMBERED_PAGES;
  return (
    <Group justify="space-between" gap="sm">
      <Text size="sm" c="dimmed">
        {rangeOf(page, shown, count, estimated)}
      </Text>
      {!numbered && <Steps page={page} shown={shown} onChange={onChange} onEnd={onEnd} />}
      {numbered && pages > 1 && (
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

/** A full page can be the last one. The next page shows it. */
function Steps({ page, shown, onChange, onEnd }: Pick<PagerProps, 'page' | 'shown' | 'onChange' | 'onEnd'>) {
  const { number, size } = page;
  if (number === 1 && shown < size) return null;
  const step = (label: string, to: number, possible: boolean) => (
    <Button size="compact-sm" variant="default" disabled={!possible} onClick={() => onChange({ number: to, size })}>
      {label}
    </Button>
  );
  return (
    <Group gap={6}>
      {step('First page', 1, number > 1)}
      {step('Previous page', number - 1, number > 1)}
      {step('Next page', number + 1, shown === size)}
      {onEnd !== undefined && (
        <Button size="compact-sm" variant="default" onClick={onEnd}>
          Last page first
        </Button>
      )}
    </Group>
  );
}
