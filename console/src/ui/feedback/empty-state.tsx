/** An empty state with the first action. */
import { Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';

interface EmptyStateProps {
  readonly title: string;
  readonly children: ReactNode;
  readonly action?: ReactNode;
}

export function EmptyState({ title, children, action }: EmptyStateProps) {
  return (
    <Stack align="center" gap="xs" py={48} px="md">
      <Text fw={600} ta="center" style={{ overflowWrap: 'anywhere' }}>
        {title}
      </Text>
      <Text size="sm" c="dimmed" ta="center" maw={440}>
        {children}
      </Text>
      {action !== undefined && <div>{action}</div>}
    </Stack>
  );
}
