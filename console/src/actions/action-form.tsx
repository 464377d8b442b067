/** Creates and changes an action: its signature and types as SDL, and its handler. */
import { Button, Checkbox, Group, NativeSelect, Paper, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useClient } from '../api/context.ts';
import { toFailure } from '../api/failure.ts';
import { go } from '../router/place.ts';
import { Empty } from '../show/empty.tsx';
import { FailureNotice } from '../show/failure-notice.tsx';
import { Loading } from '../show/loading.tsx';
import { useNotice } from '../show/notices.tsx';
import { PageHeader } from '../show/page-header.tsx';
import { sentence } from '../show/words.ts';
import classes from './actions.module.css';
import type { Action, ActionsMetadata, CustomTypes } from './actions-api.ts';
import { useActions } from './actions-page.tsx';
import { mergeNamed, mergeTypes, printAction, printTypes, readActionSdl, readTypesSdl } from './sdl.ts';

export function NewActionPage() {
  return <FormPage title="Create an action" name={undefined} />;
}

export function EditActionPage({ params }: { readonly params: Readonly<Record<string, string>> }) {
  return <FormPage title="Edit an action" name={params.name ?? ''} />;
}

function FormPage({ title, name }: { readonly title: string; readonly name: string | undefined }) {
  const { data, error, refetch } = useActions();
  // What is being typed must not change under the hands.
  const [first, setFirst] = useState<ActionsMetadata>();
  if (first === undefined && data !== undefined) setFirst(data);
  const action = first?.actions.find((one) => one.name === name);
  const back = name === undefined ? '/actions' : `/actions/of/${name}`;
  return (
    <>
      <PageHeader title={title} back={{ to: back, label: name ?? 'Actions' }} />
      {error !== null && (
        <FailureNotice title="The actions could not be read" failure={toFailure(error)} onRetry={refetch} />
      )}
      {first === undefined && error === null && <Loading />}
      {first !== undefined && name !== undefined && action === undefined && (
        <Empty title={`There is no action “${name}”`}>It may have been dropped or renamed.</Empty>
      )}
      {first !== undefined && (name === undefined || action !== undefined) && (
        <ActionForm action={action} types={first.types} back={back} />
      )}
    </>
  );
}

const exampleAction = 'type Mutation {\n  placeOrder(product: String!): PlacedOrder\n}';
const exampleTypes = 'type PlacedOrder {\n  orderId: Int!\n  customerId: Int!\n}';

interface ActionFormProps {
  /** The one that is changed; undefined for a new one. */
  readonly action: Action | undefined;
  readonly types: CustomTypes;
  readonly back: string;
}

function ActionForm({ action, types, back }: ActionFormProps) {
  const client = useClient();
  const queries = useQueryClient();
  const tell = useNotice();
  const definition = action?.definition;
  const [signature, setSignature] = useState(action === undefined ? exampleAction : printAction(action));
  const [typeText, setTypeText] = useState(action === undefined ? exampleTypes : printTypes(action, types));
  const [handler, setHandler] = useState(definition?.handler ?? '');
  const [kind, setKind] = useState(definition?.kind ?? 'synchronous');
  const [forwards, setForwards] = useState(definition?.forward_client_headers ?? false);
  const [comment, setComment] = useState(action?.comment ?? '');
  const readAction = readActionSdl(signature);
  const readTypes = readTypesSdl(typeText);
  const renamed =
    action !== undefined && !('fault' in readAction) && readAction.name !== action.name
      ? `The action is called ${action.name}; create another one for another name.`
      : undefined;
  const { mutate, error, isPending } = useMutation({
    mutationFn: (bulk: readonly object[]) => client.command('bulk', bulk),
    onSuccess: () => {
      tell({ title: action === undefined ? 'Action created' : 'Action changed' });
      if (!('fault' in readAction)) go(`/actions/of/${readAction.name}`);
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['metadata'] }),
  });
  const ready = !('fault' in readAction) && !('fault' in readTypes) && handler.trim() !== '' && renamed === undefined;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!ready) return;
    const { name, ...read } = readAction;
    const args = {
      name,
      definition: {
        ...definition,
        ...read,
        arguments: mergeNamed(definition?.arguments, read.arguments),
        kind,
        handler: handler.trim(),
        forward_client_headers: forwards,
      },
      ...(comment.trim() !== '' && { comment: comment.trim() }),
    };
    // Types first, and both or none: neither half would do alone.
    mutate([
      { type: 'set_custom_types', args: mergeTypes(types, readTypes) },
      { type: action === undefined ? 'create_action' : 'update_action', args },
    ]);
  };
  return (
    <form onSubmit={submit} noValidate>
      <Paper withBorder p={{ base: 'md', xs: 'lg' }} mt="lg" maw={820} bg="var(--joinery-surface)">
        <Stack gap="lg">
          <SdlField
            label="Action"
            about="One field of type Query or Mutation."
            text={signature}
            fault={renamed ?? ('fault' in readAction ? readAction.fault : undefined)}
            onChange={setSignature}
          />
          <SdlField
            label="Types"
            about="The types that it takes and answers with. Those that are there already need not be written again."
            text={typeText}
            fault={'fault' in readTypes ? readTypes.fault : undefined}
            onChange={setTypeText}
          />
          <TextInput
            label="Handler"
            description="An http or https URL; may contain {{NAME}} for a variable of the service's environment."
            placeholder="{{HANDLERS_URL}}/place-order"
            required
            autoComplete="off"
            spellCheck={false}
            value={handler}
            onChange={(event) => setHandler(event.currentTarget.value)}
          />
          <NativeSelect
            label="Kind"
            value={kind}
            data={[
              { value: 'synchronous', label: 'Synchronous: the caller waits for the answer' },
              { value: 'asynchronous', label: 'Asynchronous: the caller gets an id, and asks for the answer later' },
            ]}
            onChange={(event) => setKind(event.currentTarget.value as typeof kind)}
          />
          <Checkbox
            label="Forward the headers of the client to the handler"
            checked={forwards}
            onChange={(event) => setForwards(event.currentTarget.checked)}
          />
          <TextInput label="Comment" value={comment} onChange={(event) => setComment(event.currentTarget.value)} />
          {error !== null && <FailureNotice title="The action was not saved" failure={toFailure(error)} />}
          <Group>
            <Button type="submit" loading={isPending} disabled={!ready}>
              {action === undefined ? 'Create the action' : 'Save the action'}
            </Button>
            <Button variant="subtle" color="gray" onClick={() => go(back)}>
              Back
            </Button>
          </Group>
        </Stack>
      </Paper>
    </form>
  );
}

interface SdlFieldProps {
  readonly label: string;
  readonly about: string;
  readonly text: string;
  readonly fault: string | undefined;
  readonly onChange: (text: string) => void;
}

function SdlField({ label, about, text, fault, onChange }: SdlFieldProps) {
  return (
    <div>
      <Textarea
        label={label}
        description={about}
        classNames={{ input: classes.sdl ?? '' }}
        spellCheck={false}
        autosize
        minRows={4}
        maxRows={24}
        value={text}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
      <Text size="sm" mt={6} c={fault === undefined ? 'dimmed' : 'var(--mantine-color-error)'} role="status">
        {fault === undefined ? 'Can be read' : sentence(fault)}
      </Text>
    </div>
  );
}
