/** Inputs for a relationship to a field of a remote schema. */
import type { MetadataExport } from '@joinery/metadata/api/metadata';
import { Select, Text } from '@mantine/core';
import { toFailure } from '../../api/failure.ts';
import { useMetadata } from '../../api/metadata.ts';
import { FailureNotice } from '../../ui/feedback/failure-notice.tsx';
import { Loading } from '../../ui/feedback/loading.tsx';
import { FieldTree } from '../remote-fields/field-tree.tsx';
import { useRemoteSchema } from '../remote-fields/use-remote-schema.ts';
import type { TargetProps } from './target.ts';

export function RemoteSchemaTarget({ draft, owner, errors, problems, onChange }: TargetProps) {
  const { data: names = [] } = useMetadata(remoteNames);
  const isKnown = names.includes(draft.remoteSchema);
  const schema = useRemoteSchema(isKnown ? draft.remoteSchema : undefined);
  const message =
    draft.remoteSchema !== '' && !isKnown && names.length > 0 ? 'There is no such remote schema.' : errors.remoteSchema;
  return (
    <>
      <Select
        label="Remote schema"
        placeholder="Remote schema"
        searchable
        allowDeselect={false}
        data={names}
        nothingFoundMessage="No remote schema of that name"
        value={isKnown ? draft.remoteSchema : null}
        error={message}
        onChange={(remoteSchema) => remoteSchema !== null && onChange({ remoteSchema, path: [] })}
      />
      {names.length === 0 && (
        <Text size="sm" c="dimmed">
          The service has no remote schema. Add one on the page Remote schemas.
        </Text>
      )}
      {schema.error !== null && (
        <FailureNotice
          title="Its fields could not be read"
          failure={toFailure(schema.error)}
          onRetry={schema.refetch}
        />
      )}
      {isKnown && schema.data === undefined && schema.error === null && <Loading />}
      {schema.data !== undefined && (
        <>
          <FieldTree
            key={draft.remoteSchema}
            schema={schema.data}
            path={draft.path}
            owner={owner}
            problems={problems}
            onChange={(path) => onChange({ path })}
          />
          <Text size="sm" c={errors.path === undefined ? 'dimmed' : 'var(--mantine-color-error)'}>
            {errors.path ??
              'Clients supply the arguments of the last field that are left out. Session variables are set by @preset in the permissions of the remote schema.'}
          </Text>
        </>
      )}
    </>
  );
}

function remoteNames({ metadata }: MetadataExport): string[] {
  return (metadata.remote_schemas ?? []).map(({ name }) => name);
}
