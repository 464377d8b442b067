/** The URL of the GraphQL endpoint and a sample request. */
import { Anchor, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useClient } from '../../api/context.ts';
import { curlOf } from '../../shared/graphql/curl.ts';
import { CopyButton } from '../../ui/page/copy-button.tsx';
import { OpenIcon } from '../../ui/page/icons.tsx';
import { JsonView } from '../../ui/page/json-view.tsx';

const first = { query: '{ __typename }', variables: '', operationName: undefined, headers: {} };

export function Endpoint() {
  const { headerPrefix, secretRequired } = useClient();
  const { origin } = window.location;
  const url = `${origin}/v1/graphql`;
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
        <JsonView plain what="example request" text={curlOf({ ...first, origin, headerPrefix, secretRequired })} />
      </Stack>
    </Paper>
  );
}
