/** A loading indicator for the first request. */
import { Center, Loader } from '@mantine/core';

export function Loading() {
  return (
    <Center py={64} role="status" aria-label="Loading">
      <Loader size="sm" />
    </Center>
  );
}
