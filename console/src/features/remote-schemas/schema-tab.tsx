/** The schema of a remote schema as SDL with search. */
import { Stack, Text } from '@mantine/core';
import { useMemo, useState } from 'react';
import { toFailure } from '../../api/failure.ts';
import { FailureNotice } from '../../ui/feedback/failure-notice.tsx';
import { Loading } from '../../ui/feedback/loading.tsx';
import { TextField } from '../../ui/form/text-field.tsx';
import { counted } from '../../ui/format.ts';
import { JsonView } from '../../ui/page/json-view.tsx';
import type { RemoteSchema } from './remotes-api.ts';
import { partsOf, searchParts } from './schema-parts.ts';
import { useRemoteSchema } from './use-remotes.ts';

/** Maximum number of characters that are shown, for performance. */
const MAX_CHARACTERS = 200_000;

export function SchemaTab({ remote }: { readonly remote: RemoteSchema }) {
  const { data, error, refetch } = useRemoteSchema(remote.name, remote.state?.read_at);
  const [search, setSearch] = useState('');
  const parts = useMemo(() => (data === undefined ? [] : partsOf(data)), [data]);
  const found = useMemo(() => searchParts(parts, search), [parts, search]);
  if (error !== null) {
    return <FailureNotice title="Its schema is unknown" failure={toFailure(error)} onRetry={refetch} />;
  }
  if (data === undefined) return <Loading />;
  const text = found.map(({ sdl }) => sdl).join('\n\n');
  return (
    <Stack gap="sm">
      <TextField
        label="Search"
        placeholder="Name of a type, field or argument"
        maw={420}
        value={search}
        onChange={setSearch}
      />
      <Text size="sm" c="dimmed" role="status">
        {search.trim() === ''
          ? `${counted(parts.length, 'type')}, in the names of the remote schema itself.`
          : `${counted(found.length, 'type')} of ${parts.length.toLocaleString('en')} with it.`}
      </Text>
      {found.length > 0 && (
        <JsonView plain what="SDL" text={text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}\n…` : text} />
      )}
    </Stack>
  );
}
