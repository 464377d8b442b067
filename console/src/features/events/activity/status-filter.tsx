/** The number of events by status, from the response of the list. A click restricts the list to a status. */
import type { FoundEvents, FoundStatus } from '@joinery/metadata/api/events/search';
import { UnstyledButton } from '@mantine/core';
import { shownStatus } from '../../../shared/events/status.ts';
import { StatusDot } from '../../../ui/feedback/status-dot.tsx';
import classes from './activity.module.css';
import { changeSearch } from './filter-bar.tsx';

const usual: readonly FoundStatus[] = ['scheduled', 'locked', 'delivered', 'error', 'dead', 'cancelled'];

interface StatusFilterProps {
  /** Undefined while the first page is loading. */
  readonly counts: FoundEvents['counts'];
  readonly chosen: readonly FoundStatus[];
}

export function StatusFilter({ counts, chosen }: StatusFilterProps) {
  const shown =
    counts?.some(({ status }) => status === 'superseded') === true ? [...usual, 'superseded' as const] : usual;
  return (
    <fieldset className={classes.statuses} aria-label="Status" style={{ border: 0, margin: 0, padding: 0 }}>
      {shown.map((status) => {
        const { label, tone } = shownStatus({ status, tries: 0 });
        const isChosen = chosen.includes(status);
        return (
          <UnstyledButton
            key={status}
            className={classes.status ?? ''}
            aria-pressed={isChosen}
            onClick={() =>
              changeSearch({ statuses: isChosen ? chosen.filter((one) => one !== status) : [...chosen, status] })
            }
          >
            <StatusDot tone={tone}>{label}</StatusDot>
            <span className={classes.count}>{counts === undefined ? ' ' : countText(counts, status)}</span>
          </UnstyledButton>
        );
      })}
    </fieldset>
  );
}

/** Returns `12`, or `10,000+` where only a part was counted. */
function countText(counts: NonNullable<FoundEvents['counts']>, status: FoundStatus): string {
  const found = counts.find((one) => one.status === status);
  return `${(found?.count ?? 0).toLocaleString('en')}${found?.at_least === true ? '+' : ''}`;
}
