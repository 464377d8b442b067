/** Where the GraphQL endpoint is, and a first request to it. */
import { Anchor, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { CopyButton } from '../show/copy-button.tsx';
import { OpenIcon } from '../show/icons.tsx';
import { JsonView } from '../show/json-view.tsx';

export function Endpoint({ headerPrefix }: { readonly headerPrefix: string }) {
  const url = `${window.location.origin}/v1/graphql`;
  return (
    <Paper withBorder p="md" bg="var(--joinery-surface)" component="section" aria-labelledby="endpoint">
      <Stack gap="xs">
        <Title order={2} id="endpoint">
          GraphQL endpoint
        </Title>
        <Group gap={4} wrap="nowrap">
          <Anchor
            href={`${url}?query={__typename}`}
            target="_blank"
            rel="noreferrer"
            style={{ overflowWrap: 'anywhere' }}
          >
            {url} <OpenIcon size={14} />
          </Anchor>
          <CopyButton text={url} what="address" />
        </Group>
        <Text size="sm" c="dimmed">
          Clients send requests there by POST. A first one, from a shell:
        </Text>
        <JsonView plain what="example request" text={exampleRequest(url, headerPrefix)} />
      </Stack>
    </Paper>
  );
}

/** The secret stands in a variable of the shell, so that it is not in what is copied around. */
function exampleRequest(url: string, headerPrefix: string): string {
  return [
    `curl ${url} \\`,
    `  -H "${headerPrefix}admin-secret: $ADMIN_SECRET" \\`,
    `  -d '{"query":"{ __typename }"}'`,
  ].join('\n');
}
