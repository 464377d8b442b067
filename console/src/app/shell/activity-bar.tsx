/** A moving line below the header while a command or the first request of a page takes longer than 200 ms. */
import { useDebouncedValue } from '@mantine/hooks';
import { useIsFetching, useIsMutating } from '@tanstack/react-query';
import classes from './shell.module.css';

const SHOWN_AFTER_MS = 200;

export function ActivityBar() {
  const commands = useIsMutating();
  const firstReads = useIsFetching({ predicate: ({ state }) => state.data === undefined });
  const isActive = commands + firstReads > 0;
  const [wasActive] = useDebouncedValue(isActive, SHOWN_AFTER_MS);
  if (!isActive || !wasActive) return null;
  return <div className={classes.activity} role="progressbar" aria-label="Request in progress" />;
}
