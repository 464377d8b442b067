/** Code of an action: the handler that implements it, and clients that call it. */
import { Stack } from '@mantine/core';
import type { Action, ActionsMetadata } from '../actions-api.ts';
import { ClientCode } from './client-code.tsx';
import { HandlerCode } from './handler-code.tsx';

interface CodeTabProps {
  readonly action: Action;
  readonly metadata: ActionsMetadata;
}

export function CodeTab(props: CodeTabProps) {
  return (
    <Stack gap="xl">
      <HandlerCode {...props} />
      <ClientCode {...props} />
    </Stack>
  );
}
