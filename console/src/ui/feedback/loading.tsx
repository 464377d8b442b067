/** A loading indicator for the first request, which becomes visible when that takes longer than a moment. */
import { Center, Loader } from '@mantine/core';
import classes from './loading.module.css';

export function Loading() {
  return (
    <Center py={64} className={classes.late ?? ''} role="status" aria-label="Loading">
      <Loader size="sm" />
    </Center>
  );
}
