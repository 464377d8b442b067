/** What each role sees of a remote schema: root fields to choose, and SDL that is checked as it is typed. */
import { Autocomplete, Button, Checkbox, Code, Drawer, Group, Paper, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { GraphQLSchema } from 'graphql';
import { type FormEvent, useMemo, useState } from 'react';
import { SdlField } from '../actions/sdl-field.tsx';
import { useClient } from '../api/context.ts';
import { toFailure } from '../api/failure.ts';
import { knownNames } from '../data-rules/known-names.ts';
import { ConfirmDialog } from '../show/confirm-dialog.tsx';
import { Empty } from '../show/empty.tsx';
import { FailureNotice } from '../show/failure-notice.tsx';
import { PlusIcon } from '../show/icons.tsx';
import { JsonView } from '../show/json-view.tsx';
import { Loading } from '../show/loading.tsx';
import { useNotice } from '../show/notices.tsx';
import { checkPermission, chosenRoots, rootFields, sdlFor } from './permission-sdl.ts';
import classes from './remotes.module.css';
import { dropRemotePermission, type RemotePermission, type RemoteSchema, saveRemotePermission } from './remotes-api.ts';
import { ownTypes } from './schema-parts.ts';
import { useRemoteSchema } from './use-remotes.ts';

interface PermissionsTabProps {
  readonly remote: RemoteSchema;
  readonly exported: unknown;
}

interface Edited {
  /** Empty for a new one. */
  readonly role: string;
  readonly schema: string;
}

export function PermissionsTab({ remote, exported }: PermissionsTabProps) {
  const client = useClient();
  const schema = useRemoteSchema(remote.name, remote.state?.read_at);
  const [edited, setEdited] = useState<Edited>();
  const [dropping, setDropping] = useState<string>();
  const permissions = remote.permissions ?? [];
  const add = (
    <Button
      size="xs"
      variant="default"
      leftSection={<PlusIcon size={14} />}
      disabled={schema.data === undefined}
      onClick={() => setEdited({ role: '', schema: '' })}
    >
      Add a permission
    </Button>
  );
  if (schema.data === undefined && schema.error === null) return <Loading />;
  return (
    <Stack gap="md">
      {schema.error !== null && (
        <FailureNotice
          title="It is not known what it offers"
          failure={toFailure(schema.error)}
          onRetry={schema.refetch}
        />
      )}
      <Group justify="space-between" align="flex-start">
        <Text size="sm" c="dimmed" maw={620}>
          They count where the service runs with <Code>JOINERY_ENABLE_REMOTE_SCHEMA_PERMISSIONS</Code>; without it,
          every role sees all of the remote schema.
        </Text>
        {permissions.length > 0 && add}
      </Group>
      {permissions.length === 0 && (
        <Empty title="No role has a permission" action={add}>
          Choose the fields that a role sees, and what is filled in for it.
        </Empty>
      )}
      {permissions.map((permission) => (
        <RolePermission
          key={permission.role}
          permission={permission}
          onEdit={() => setEdited({ role: permission.role, schema: permission.definition.schema })}
          onDrop={() => setDropping(permission.role)}
        />
      ))}
      <Drawer
        opened={edited !== undefined}
        onClose={() => setEdited(undefined)}
        position="right"
        size="min(46rem, 100%)"
        title={edited?.role === '' ? 'Add a permission' : `What ${edited?.role ?? ''} sees`}
      >
        {edited !== undefined && schema.data !== undefined && (
          <PermissionForm
            remote={remote}
            schema={schema.data}
            edited={edited}
            roles={knownNames(exported, client.headerPrefix).roles}
            onClose={() => setEdited(undefined)}
          />
        )}
      </Drawer>
      <ConfirmDialog
        title={dropping && `Take the permission from ${dropping}?`}
        about={`${dropping ?? 'The role'} sees nothing of ${remote.name} any more.`}
        confirm="Take the permission away"
        failed="The permission was not taken away"
        perform={() => dropRemotePermission(client, remote.name, dropping ?? '')}
        onClose={() => setDropping(undefined)}
        onDone={() => setDropping(undefined)}
      />
    </Stack>
  );
}

interface RolePermissionProps {
  readonly permission: RemotePermission;
  readonly onEdit: () => void;
  readonly onDrop: () => void;
}

function RolePermission({ permission: { role, definition }, onEdit, onDrop }: RolePermissionProps) {
  return (
    <Paper withBorder p="md" bg="var(--joinery-surface)" component="section" aria-label={`Permission of ${role}`}>
      <Group justify="space-between" mb="xs">
        <Text fw={600}>{role}</Text>
        <Group gap={4}>
          <Button
            size="compact-sm"
            variant="subtle"
            color="gray"
            aria-label={`Edit what ${role} sees`}
            onClick={onEdit}
          >
            Edit
          </Button>
          <Button
            size="compact-sm"
            variant="subtle"
            color="gray"
            aria-label={`Take away what ${role} sees`}
            onClick={onDrop}
          >
            Take away
          </Button>
        </Group>
      </Group>
      <JsonView plain what={`SDL of ${role}`} text={definition.schema} />
    </Paper>
  );
}

interface PermissionFormProps {
  readonly remote: RemoteSchema;
  readonly schema: GraphQLSchema;
  readonly edited: Edited;
  readonly roles: readonly string[];
  readonly onClose: () => void;
}

function PermissionForm({ remote, schema, edited, roles, onClose }: PermissionFormProps) {
  const client = useClient();
  const queries = useQueryClient();
  const tell = useNotice();
  const [role, setRole] = useState(edited.role);
  const [text, setText] = useState(edited.schema);
  const fields = useMemo(() => rootFields(schema), [schema]);
  const chosen = useMemo(() => chosenRoots(text, schema), [text, schema]);
  const language = useMemo(() => languageOf(schema), [schema]);
  const before = remote.permissions?.find((one) => one.role === role.trim());
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => saveRemotePermission(client, remote.name, role.trim(), text, before),
    onSuccess: () => {
      tell({ title: `Permission of ${role.trim()} saved` });
      onClose();
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['metadata'] }),
  });
  const complete = role.trim() !== '' && text.trim() !== '';
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (complete) mutate();
  };
  const toggle = (path: string, on: boolean): void => {
    const next = new Set(chosen);
    if (on) next.add(path);
    else next.delete(path);
    setText(sdlFor(schema, next));
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        {edited.role === '' && (
          <Autocomplete
            label="Role"
            required
            data={[...roles]}
            value={role}
            onChange={setRole}
            description={before !== undefined ? 'It has a permission already, which this one replaces.' : undefined}
          />
        )}
        <fieldset className={classes.roots}>
          <legend>Root fields, with all that they lead to</legend>
          {fields.map(({ path, type }) => (
            <Checkbox
              key={path}
              label={path}
              description={type}
              checked={chosen.has(path)}
              onChange={(event) => toggle(path, event.currentTarget.checked)}
            />
          ))}
        </fieldset>
        <SdlField
          label="What the role sees"
          about='A part of the remote schema. Choosing root fields writes it anew; take fields out below. @preset(value: "x-service-user-id") fills an argument in for the caller.'
          text={text}
          minLines={16}
          fault={undefined}
          language={language}
          onChange={setText}
        />
        {error !== null && <FailureNotice title="The permission was not saved" failure={toFailure(error)} />}
        <Group>
          <Button type="submit" loading={isPending} disabled={!complete}>
            Save the permission
          </Button>
          <Button variant="subtle" color="gray" onClick={onClose}>
            Back
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function languageOf(schema: GraphQLSchema) {
  const types = ownTypes(schema);
  const fields = types.flatMap((type) =>
    'getFields' in type
      ? Object.values(type.getFields()).map(({ name }) => ({ name, kind: `field of ${type.name}` }))
      : [],
  );
  const scalars = ['Int', 'Float', 'String', 'Boolean', 'ID'].map((name) => ({ name, kind: 'scalar' }));
  const names = [...types.map(({ name }) => ({ name, kind: 'type' })), ...scalars, ...fields, preset];
  return { sdl: { check: (text: string) => checkPermission(text, schema), names } };
}

const preset = { name: '@preset', kind: 'fills an argument in' };
