/** The rows of a table. */
import { Text } from '@mantine/core';
import type { TableTabProps } from './table-paths.ts';

export function RowsTab({ table }: TableTabProps) {
  return <Text size="sm">{table.name}</Text>;
}
