/** The call as the webhook will get it, while the form is being filled in. */
import { Paper, Stack, Text, Title } from '@mantine/core';
import { JsonView } from '../show/json-view.tsx';
import { useNow } from '../show/use-now.ts';
import type { Draft } from './draft.ts';
import { previewOf } from './preview.ts';

export function CallPreview({ draft }: { readonly draft: Draft }) {
  const now = useNow();
  const { head, body } = previewOf(draft, now);
  return (
    <Paper withBorder p={{ base: 'md', xs: 'lg' }} bg="var(--joinery-surface)">
      <Stack gap="xs">
        <Title order={2} size="h5">
          What the webhook gets
        </Title>
        <JsonView plain what="request line and headers" text={head} />
        <JsonView what="body" text={body} />
        <Text size="sm" c="dimmed">
          A receiver can tell a repeated call by the id. Any status from 200 to 299 counts as delivered.
        </Text>
      </Stack>
    </Paper>
  );
}
