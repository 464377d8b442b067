/** Form for the permission of a role on a remote schema: a tree of checkboxes beside the SDL. */
import { RemoteSchemaPermission } from '@joinery/metadata/schema/remote-schemas';
import { Autocomplete, Stack } from '@mantine/core';
import type { GraphQLSchema } from 'graphql';
import { useMemo } from 'react';
import { type Reading, useEditConflict } from '../../../api/edit-conflict.ts';
import { useCommand } from '../../../api/use-command.ts';
import { SdlField } from '../../../ui/editor/sdl-field.tsx';
import { FormBesideText } from '../../../ui/form/beside-text/form-beside-text.tsx';
import { byMember, schemaErrors } from '../../../ui/form/beside-text/schema-errors.ts';
import { FormActions } from '../../../ui/form/form-actions.tsx';
import { type FormErrors, useDraftForm } from '../../../ui/form/use-draft-form.ts';
import { type RemotePermission, type RemoteSchema, saveRemotePermission } from '../remotes-api.ts';
import { membersOf, ownTypes } from '../schema-parts.ts';
import { useRemotes } from '../use-remotes.ts';
import { checkPermission } from './permission-sdl.ts';
import { permissionTree } from './permission-tree.ts';
import { PermissionTreeFields } from './permission-tree-fields.tsx';

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
  const form = useDraftForm({ initial: edited, validate: permissionErrors });
  const role = form.values.role.trim();
  const text = form.values.schema;
  const tree = useMemo(() => permissionTree(text, schema), [text, schema]);
  const language = useMemo(() => languageOf(schema), [schema]);
  const { data } = useRemotes();
  const before = remote.permissions?.find((one) => one.role === role);
  // A new permission has no previous values; replacing one is announced below the role.
  const { basis, newer } = useEditConflict(edited.role === '' ? undefined : before, data?.version);
  const command = useCommand(
    (client, reading: Reading<RemotePermission | undefined>) =>
      saveRemotePermission(client, remote.name, role, text, reading),
    { notice: () => ({ title: `Permission of ${role} saved` }), onDone: onClose },
  );
  const saveOn = (reading: Reading<RemotePermission | undefined>) => form.onSubmit(() => command.run(reading));
  return (
    <form onSubmit={saveOn(edited.role === '' ? { ...basis, shown: before } : basis)} noValidate>
      <Stack gap="md">
        {edited.role === '' && (
          <Autocomplete
            label="Role"
            required
            data={[...roles]}
            {...form.getInputProps('role')}
            description={before !== undefined ? 'It has a permission already, which this one replaces.' : undefined}
          />
        )}
        <FormBesideText
          reason={tree === undefined ? 'The SDL has a syntax error.' : undefined}
          editor={
            <SdlField
              label="What the role sees"
              about='A part of the remote schema. @preset(value: "x-service-user-id") supplies an argument for the role, which cannot give it then.'
              text={text}
              minLines={16}
              problem={undefined}
              language={language}
              onChange={(sdl) => form.change({ schema: sdl })}
            />
          }
        >
          {tree !== undefined && (
            <PermissionTreeFields
              tree={tree}
              text={text}
              schema={schema}
              onChange={(sdl) => form.change({ schema: sdl })}
            />
          )}
        </FormBesideText>
        <FormActions
          submit="Save the permission"
          command={command}
          reason={form.invalid}
          failed="The permission was not saved"
          onSaveOver={newer && saveOn(newer)}
          onBack={onClose}
        />
      </Stack>
    </form>
  );
}

const fieldOf = byMember({ role: 'role', definition: 'schema' });

function permissionErrors({ role, schema }: EditedPermission): FormErrors {
  return schemaErrors(
    RemoteSchemaPermission,
    { role: role.trim(), definition: { schema: schema.trim() } },
    { fieldOf },
  );
}

function languageOf(schema: GraphQLSchema) {
  const types = ownTypes(schema);
  const names = new Map([
    ...types.flatMap((type) => membersOf(type).map(({ name }) => [name, 'field'] as const)),
    ...types.map(({ name }) => [name, 'type'] as const),
    ...['Int', 'Float', 'String', 'Boolean', 'ID'].map((name) => [name, 'scalar'] as const),
    ['@preset', 'supplies an argument'] as const,
  ]);
  const offered = [...names].map(([name, kind]) => ({ name, kind }));
  return { sdl: { check: (text: string) => checkPermission(text, schema), names: offered } };
}
