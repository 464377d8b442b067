/** Dialog that creates a REST endpoint for a stored operation. */
import { Checkbox, Group, NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useClient } from '../../api/context.ts';
import { operationsIn } from '../../shared/graphql/operation-draft.ts';
import { useNotify } from '../../ui/feedback/notifications.tsx';
import { FormDialog } from './form-dialog.tsx';
import { createEndpoint, type Operations } from './operations-api.ts';

interface EndpointDialogProps {
  readonly opened: boolean;
  readonly operations: Operations;
  readonly onClose: () => void;
}

const allMethods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
const empty = {
  name: '',
  url: '',
  comment: '',
  methods: ['GET'] as readonly string[],
  place: '',
  allowsGetMutation: false,
};

export function EndpointDialog({ opened, operations, onClose }: EndpointDialogProps) {
  const client = useClient();
  const notify = useNotify();
  const [draft, setDraft] = useState(empty);
  const stored = operations.query_collections.flatMap(({ name, definition }) =>
    definition.queries.map(({ name: query_name, query }) => ({
      query: { collection_name: name, query_name },
      mutates: operationsIn(query).some(({ kind }) => kind === 'mutation'),
    })),
  );
  const chosen = stored[Number(draft.place === '' ? 0 : draft.place)];
  const query = chosen?.query;
  const isGetMutation = chosen?.mutates === true && draft.methods.includes('GET');
  const change = (part: Partial<typeof empty>): void => setDraft({ ...draft, ...part });
  const ready = draft.name.trim() !== '' && draft.url.trim() !== '' && draft.methods.length > 0 && query !== undefined;
  return (
    <FormDialog
      opened={opened}
      title="New REST endpoint"
      confirm="Create the endpoint"
      failed="The endpoint was not created"
      ready={ready}
      perform={async () => {
        if (query === undefined) return;
        const { comment } = draft;
        await createEndpoint(client, {
          name: draft.name.trim(),
          url: draft.url.trim(),
          methods: allMethods.filter((method) => draft.methods.includes(method)),
          definition: { query },
          ...(isGetMutation && draft.allowsGetMutation && { allow_get_mutation: true }),
          ...(comment.trim() !== '' && { comment: comment.trim() }),
        });
      }}
      onClose={onClose}
      onDone={() => {
        notify({ title: `Endpoint ${draft.name.trim()} created` });
        setDraft(empty);
        onClose();
      }}
    >
      <TextInput
        label="Name"
        data-autofocus
        autoComplete="off"
        value={draft.name}
        onChange={(event) => change({ name: event.currentTarget.value })}
      />
      <TextInput
        label="URL"
        description="Below /api/rest/. A segment that starts with a colon is a variable of the operation."
        placeholder="authors/:name"
        autoComplete="off"
        spellCheck={false}
        value={draft.url}
        onChange={(event) => change({ url: event.currentTarget.value })}
      />
      <NativeSelect
        label="Operation"
        data={stored.map(({ query: { collection_name, query_name } }, index) => ({
          value: String(index),
          label: `${query_name} of ${collection_name}`,
        }))}
        value={draft.place === '' ? '0' : draft.place}
        onChange={(event) => change({ place: event.currentTarget.value })}
      />
      <Checkbox.Group label="Methods" value={[...draft.methods]} onChange={(methods) => change({ methods })}>
        <Group gap="md" mt={6}>
          {allMethods.map((method) => (
            <Checkbox key={method} value={method} label={method} />
          ))}
        </Group>
      </Checkbox.Group>
      {isGetMutation && (
        <Checkbox
          label="Run the mutation for GET requests"
          description="Any web page can make a browser send a GET request. Prefer POST, PUT, PATCH or DELETE."
          checked={draft.allowsGetMutation}
          onChange={(event) => change({ allowsGetMutation: event.currentTarget.checked })}
        />
      )}
      <TextInput
        label="Comment"
        value={draft.comment}
        onChange={(event) => change({ comment: event.currentTarget.value })}
      />
    </FormDialog>
  );
}
