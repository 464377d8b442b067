/** Preview of the next ten runs. */
import { List, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useClient } from '../../api/context.ts';
import { toFailure } from '../../api/failure.ts';
import { sentence } from '../../ui/format.ts';
import { nextTimes } from './cron-api.ts';

interface NextRunsProps {
  readonly schedule: string;
  readonly timezone: string;
}

/** Debounce while typing, in milliseconds. */
const TYPING_MS = 250;

export function NextRuns({ schedule, timezone }: NextRunsProps) {
  const client = useClient();
  const [typed] = useDebouncedValue(schedule.trim(), TYPING_MS);
  const { data, error } = useQuery({
    queryKey: ['cron', 'times', typed, timezone],
    queryFn: ({ signal }) => nextTimes(client, typed, timezone, signal),
    enabled: typed !== '',
    placeholderData: keepPreviousData,
  });
  if (typed === '') {
    return (
      <Text size="sm" c="dimmed">
        Minute, hour, day of the month, month, day of the week. The next ten runs are shown here.
      </Text>
    );
  }
  if (error !== null) {
    return (
      <Text size="sm" c="var(--mantine-color-error)" role="status">
        {sentence(`Not a schedule yet: it ${toFailure(error).message}`)}
      </Text>
    );
  }
  const format = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'short', timeZone: timezone });
  return (
    <List type="ordered" size="sm" aria-label="Next runs">
      {data?.map((time) => (
        <List.Item key={time}>
          <time dateTime={time} title={time}>
            {format.format(Date.parse(time))}
          </time>
        </List.Item>
      ))}
    </List>
  );
}
