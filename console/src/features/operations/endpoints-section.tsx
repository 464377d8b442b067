/** REST endpoints with URL and operation. */
import { Anchor, Badge, Button, Code, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { useClient } from '../../api/context.ts';
import { linkTo } from '../../router/location.ts';
import { exploreLink } from '../../shared/graphql/explore-link.ts';
import { ConfirmDialog } from '../../ui/dialog/confirm-dialog.tsx';
import { EmptyState } from '../../ui/feedback/empty-state.tsx';
import { notify } from '../../ui/feedback/notifications.tsx';
import { Disclosure } from '../../ui/page/disclosure.tsx';
import { PlusIcon } from '../../ui/page/icons.tsx';
import { JsonView } from '../../ui/page/json-view.tsx';
import { EndpointDialog } from './endpoint-dialog.tsx';
import { curlOf, isFollowed, pathOf } from './limits.ts';
import { dropEndpoint, type Endpoint, type Operations } from './operations-api.ts';

export function EndpointsSection({ operations }: { readonly operations: Operations }) {
  const client = useClient();
  const [creating, setCreating] = useState(false);
  const [removed, setRemoved] = useState<string>();
  const { rest_endpoints, query_collections } = operations;
  const known = query_collections.some(({ definition }) => definition.queries.length > 0);
  return (
    <Stack gap="md">
      {rest_endpoints.length === 0 ? (
        <EmptyState
          title="No REST endpoints"
          action={
            known ? (
              <Button leftSection={<PlusIcon size={16} />} onClick={() => setCreating(true)}>
                New endpoint
              </Button>
            ) : (
              <Button component="a" variant="light" {...linkTo('/operations/collections')}>
                Open the collections
              </Button>
            )
          }
        >
          An endpoint runs a stored operation for callers that send plain HTTP.
          {!known && ' Add an operation to a collection first.'}
        </EmptyState>
      ) : (
        <Group justify="space-between" gap="sm">
          <Text size="sm" c="dimmed">
            Described for the role of a caller at{' '}
            <Anchor href="/api/swagger/json" target="_blank" rel="noreferrer" inherit>
              /api/swagger/json
            </Anchor>
            .
          </Text>
          <Button leftSection={<PlusIcon size={16} />} onClick={() => setCreating(true)}>
            New endpoint
          </Button>
        </Group>
      )}
      {rest_endpoints.map((endpoint) => (
        <EndpointPaper
          key={endpoint.name}
          endpoint={endpoint}
          query={queryOf(endpoint, operations)}
          onRemove={() => setRemoved(endpoint.name)}
        />
      ))}
      <EndpointDialog opened={creating} operations={operations} onClose={() => setCreating(false)} />
      <ConfirmDialog
        title={removed && `Remove the endpoint ${removed}?`}
        about="Requests to its URL then fail with 404. The operation stays in its collection."
        confirm="Remove"
        failed="The endpoint was not removed"
        perform={async () => {
          if (removed !== undefined) await dropEndpoint(client, removed);
        }}
        onClose={() => setRemoved(undefined)}
        onDone={() => {
          notify({ title: `Endpoint ${removed} removed` });
          setRemoved(undefined);
        }}
      />
    </Stack>
  );
}

function queryOf({ definition }: Endpoint, { query_collections }: Operations): string | undefined {
  const { collection_name, query_name } = definition.query;
  const collection = query_collections.find(({ name }) => name === collection_name);
  return collection?.definition.queries.find(({ name }) => name === query_name)?.query;
}

interface EndpointPaperProps {
  readonly endpoint: Endpoint;
  readonly query: string | undefined;
  readonly onRemove: () => void;
}

function EndpointPaper({ endpoint, query, onRemove }: EndpointPaperProps) {
  const { headerPrefix } = useClient();
  const { name, comment, methods, definition } = endpoint;
  const path = pathOf(endpoint);
  return (
    <Paper withBorder p="md" bg="var(--joinery-surface)" component="section" aria-label={`Endpoint ${name}`}>
      <Stack gap="sm">
        <div>
          <Title order={2}>{name}</Title>
          {comment && (
            <Text size="sm" c="dimmed">
              {comment}
            </Text>
          )}
        </div>
        <Group gap="xs">
          {methods.map((method) => (
            <Badge key={method} variant="default" radius="sm" tt="none">
              {method}
            </Badge>
          ))}
          {isFollowed(endpoint) ? (
            <Anchor href={path} target="_blank" rel="noreferrer" style={{ overflowWrap: 'anywhere' }}>
              {path}
            </Anchor>
          ) : (
            <Code style={{ overflowWrap: 'anywhere' }}>{path}</Code>
          )}
        </Group>
        <Text size="sm">
          Runs <Code>{definition.query.query_name}</Code> of {definition.query.collection_name}
        </Text>
        <Disclosure title="Call it">
          <JsonView plain what={`call of ${name}`} text={curlOf(endpoint, window.location.origin, headerPrefix)} />
        </Disclosure>
        <Group gap="xs">
          {query !== undefined && (
            <Button component="a" size="xs" variant="default" {...linkTo(exploreLink({ query }))}>
              Open in Explore
            </Button>
          )}
          <Button size="xs" variant="default" onClick={onRemove}>
            Remove
          </Button>
        </Group>
      </Stack>
    </Paper>
  );
}
