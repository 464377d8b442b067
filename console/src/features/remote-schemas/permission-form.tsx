/** Form for the permission of a role on a remote schema: root fields, and SDL with validation. */
import { Autocomplete, Checkbox, Stack } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { GraphQLSchema } from 'graphql';
import { type FormEvent, useMemo, useState } from 'react';
import { useClient } from '../../api/context.ts';
import { type Reading, useEditConflict } from '../../api/edit-conflict.ts';
import { SdlField } from '../../ui/editor/sdl-field.tsx';
import { useNotify } from '../../ui/feedback/notifications.tsx';
import { FormActions } from '../../ui/form/form-actions.tsx';
import { chosenRoots, rootFields, withoutRoot, withRoot } from './permission-roots.ts';
import { checkPermission } from './permission-sdl.ts';
import classes from './remotes.module.css';
import { type RemotePermission, type RemoteSchema, saveRemotePermission } from './remotes-api.ts';
import { membersOf, ownTypes } from './schema-parts.ts';
import { useRemotes } from './use-remotes.ts';

export interface EditedPermission {
  /** Empty for a new permission. */
  readonly role: string;
  readonly schema: string;
}

interface PermissionFormProps {
  readonly remote: RemoteSchema;
  readonly schema: GraphQLSchema;
  readonly edited: EditedPermission;
  readonly roles: readonly string[];
  readonly onClose: () => void;
}

export function PermissionForm({ remote, schema, edited, roles, onClose }: PermissionFormProps) {
  const client = useClient();
  const queries = useQueryClient();
  const notify = useNotify();
  const [role, setRole] = useState(edited.role);
  const [text, setText] = useState(edited.schema);
  const fields = useMemo(() => rootFields(schema), [schema]);
  const chosen = useMemo(() => chosenRoots(text, schema), [text, schema]);
  const language = useMemo(() => languageOf(schema), [schema]);
  const { data } = useRemotes();
  const before = remote.permissions?.find((one) => one.role === role.trim());
  // A new permission has no previous values; replacing one is announced below the role.
  const { basis, newer } = useEditConflict(edited.role === '' ? undefined : before, data?.version);
  const { mutate, error, isPending } = useMutation({
    mutationFn: (reading: Reading<RemotePermission | undefined>) =>
      saveRemotePermission(client, remote.name, role.trim(), text, reading),
    onSuccess: () => {
      notify({ title: `Permission of ${role.trim()} saved` });
      onClose();
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['metadata'] }),
  });
  const complete = role.trim() !== '' && text.trim() !== '';
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (complete) mutate(edited.role === '' ? { ...basis, shown: before } : basis);
  };
  const toggle = (path: string, on: boolean): void =>
    setText(on ? withRoot(text, schema, path) : withoutRoot(text, schema, path));
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
              checked={chosen?.has(path) === true}
              disabled={chosen === undefined}
              onChange={(event) => toggle(path, event.currentTarget.checked)}
            />
          ))}
        </fieldset>
        <SdlField
          label="What the role sees"
          about='A part of the remote schema: take out what the role does not see. @preset(value: "x-service-user-id") fills an argument in for the caller.'
          text={text}
          minLines={16}
          problem={undefined}
          language={language}
          onChange={setText}
        />
        <FormActions
          submit="Save the permission"
          busy={isPending}
          disabled={!complete}
          error={error}
          failed="The permission was not saved"
          onSaveOver={newer && (() => complete && mutate(newer))}
          onBack={onClose}
        />
      </Stack>
    </form>
  );
}

function languageOf(schema: GraphQLSchema) {
  const types = ownTypes(schema);
  const names = new Map([
    ...types.flatMap((type) => membersOf(type).map(({ name }) => [name, 'field'] as const)),
    ...types.map(({ name }) => [name, 'type'] as const),
    ...['Int', 'Float', 'String', 'Boolean', 'ID'].map((name) => [name, 'scalar'] as const),
    ['@preset', 'fills an argument in'] as const,
  ]);
  const offered = [...names].map(([name, kind]) => ({ name, kind }));
  return { sdl: { check: (text: string) => checkPermission(text, schema), names: offered } };
}
