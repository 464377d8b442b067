/** Code that calls an action, for the clients that teams use. */
import { NativeSelect, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useClient } from '../../../api/context.ts';
import { type SnippetParts, snippets } from '../../../shared/graphql/snippets.ts';
import { JsonView } from '../../../ui/page/json-view.tsx';
import { Section } from '../../../ui/page/section.tsx';
import type { Action, ActionsMetadata } from '../actions-api.ts';
import { useRequest } from '../run/use-request.ts';

interface ClientCodeProps {
  readonly action: Action;
  readonly metadata: ActionsMetadata;
}

export function ClientCode({ action, metadata }: ClientCodeProps) {
  const { headerPrefix } = useClient();
  const { query, variables } = useRequest(action, metadata.types);
  const [name, setName] = useState('fetch');
  const role = action.permissions?.[0]?.role;
  const parts: SnippetParts = {
    query,
    variables,
    operationName: undefined,
    kind: action.definition.type ?? 'mutation',
    headers: role === undefined ? {} : { [`${headerPrefix}role`]: role },
    origin: window.location.origin,
    headerPrefix,
    sendsSecret: false,
  };
  const snippet = snippets.find((one) => one.name === name);
  return (
    <Section title="Code for clients">
      <Stack gap="sm">
        <NativeSelect
          aria-label="Client"
          maw={260}
          value={name}
          data={snippets.map((one) => one.name)}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        {snippet !== undefined && <JsonView plain what="client code" text={snippet.write(parts)} />}
        <Text size="sm" c="dimmed">
          {role === undefined
            ? 'No role may call the action yet. Add the headers that authenticate the caller.'
            : `Calls as ${role}. Add the headers that authenticate the caller.`}
        </Text>
      </Stack>
    </Section>
  );
}
