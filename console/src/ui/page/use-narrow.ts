/** Whether the window is too narrow for tables and columns. */
import { useMediaQuery } from '@mantine/hooks';

export function useNarrow(): boolean {
  return useMediaQuery('(max-width: 48em)', false, { getInitialValueInEffect: false });
}
