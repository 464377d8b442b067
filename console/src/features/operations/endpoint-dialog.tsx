/** Dialog that creates a REST endpoint for a stored operation. */
import { RestEndpoint } from '@joinery/metadata/schema/stored-operations';
import { Checkbox, Group, NativeSelect, TextInput } from '@mantine/core';
import { useClient } from '../../api/context.ts';
import { operationsIn } from '../../shared/graphql/operation-draft.ts';
import { notify } from '../../ui/feedback/notifications.tsx';
import { byMember, schemaErrors } from '../../ui/form/beside-text/schema-errors.ts';
import { useDraftForm } from '../../ui/form/use-draft-form.ts';
import { FormDialog } from './form-dialog.tsx';
import { createEndpoint, type Operations } from './operations-api.ts';

interface EndpointDialogProps {
  readonly opened: boolean;
  readonly operations: Operations;
  readonly onClose: () => void;
}

const allMethods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

interface Draft {
  readonly name: string;
  readonly url: string;
  readonly comment: string;
  readonly methods: readonly string[];
  /** Index of the stored operation. Empty for the first one. */
  readonly place: string;
  readonly allowsGetMutation: boolean;
}

const empty: Draft = { name: '', url: '', comment: '', methods: ['GET'], place: '', allowsGetMutation: false };

const fieldOf = byMember({ name: 'name', url: 'url', methods: 'methods', definition: 'place' });

export function EndpointDialog({ opened, operations, onClose }: EndpointDialogProps) {
  const client = useClient();
  const stored = operations.query_collections.flatMap(({ name, definition }) =>
    definition.queries.map(({ name: query_name, query }) => ({
      query: { collection_name: name, query_name },
      mutates: operationsIn(query).some(({ kind }) => kind === 'mutation'),
    })),
  );
  const chosenIn = ({ place }: Draft) => stored[Number(place === '' ? 0 : place)];
  const isGetMutation = (draft: Draft): boolean => chosenIn(draft)?.mutates === true && draft.methods.includes('GET');
  const endpointOf = (draft: Draft) => ({
    name: draft.name.trim(),
    url: draft.url.trim(),
    methods: allMethods.filter((method) => draft.methods.includes(method)),
    definition: { query: chosenIn(draft)?.query ?? { collection_name: '', query_name: '' } },
    ...(isGetMutation(draft) && draft.allowsGetMutation && { allow_get_mutation: true }),
    ...(draft.comment.trim() !== '' && { comment: draft.comment.trim() }),
  });
  const form = useDraftForm({
    initial: empty,
    validate: (draft) => schemaErrors(RestEndpoint, endpointOf(draft), { fieldOf }),
  });
  const draft = form.values;
  return (
    <FormDialog
      opened={opened}
      title="New REST endpoint"
      confirm="Create the endpoint"
      failed="The endpoint was not created"
      form={form}
      perform={(typed) => createEndpoint(client, endpointOf(typed))}
      onClose={onClose}
      onDone={({ name }) => {
        notify({ title: `Endpoint ${name.trim()} created` });
        form.reset();
        onClose();
      }}
    >
      <TextInput label="Name" data-autofocus autoComplete="off" {...form.getInputProps('name')} />
      <TextInput
        label="URL"
        description="Below /api/rest/. A segment that starts with a colon is a variable of the operation."
        placeholder="authors/:name"
        autoComplete="off"
        spellCheck={false}
        {...form.getInputProps('url')}
      />
      <NativeSelect
        label="Operation"
        data={stored.map(({ query: { collection_name, query_name } }, index) => ({
          value: String(index),
          label: `${query_name} of ${collection_name}`,
        }))}
        value={draft.place === '' ? '0' : draft.place}
        onChange={(event) => form.change({ place: event.currentTarget.value })}
      />
      <Checkbox.Group label="Methods" value={[...draft.methods]} onChange={(methods) => form.change({ methods })}>
        <Group gap="md" mt={6}>
          {allMethods.map((method) => (
            <Checkbox key={method} value={method} label={method} />
          ))}
        </Group>
      </Checkbox.Group>
      {isGetMutation(draft) && (
        <Checkbox
          label="Run the mutation for GET requests"
          description="Any web page can make a browser send a GET request. Prefer POST, PUT, PATCH or DELETE."
          {...form.getInputProps('allowsGetMutation', { type: 'checkbox' })}
        />
      )}
      <TextInput label="Comment" {...form.getInputProps('comment')} />
    </FormDialog>
  );
}
