/** Edits a foreign key by searching the rows of the referenced table. */
import type { ForeignKey, TableInfo } from '@joinery/metadata/api/sources/catalog';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useClient } from '../../../api/context.ts';
import { tableLabel } from '../../../shared/sources/table-paths.ts';
import { useTableInfo } from '../../../shared/sources/use-sources.ts';
import { referenceOptions, referenceQuery } from '../row-model/reference-search.ts';
import { readRows } from '../row-model/rows-api.ts';
import { ChoiceEditor } from './choice-editor.tsx';
import type { EditorProps } from './editor-props.ts';

interface ReferenceEditorProps extends EditorProps {
  readonly source: string;
  readonly reference: ForeignKey;
}

/** Milliseconds without a key before the search is sent. */
const PAUSE_MS = 150;

export function ReferenceEditor({ source, reference, ...props }: ReferenceEditorProps) {
  const client = useClient();
  const { data: info } = useTableInfo(source, reference.table);
  const [search, setSearch] = useState(props.typed ?? '');
  const [sent] = useDebouncedValue(search, PAUSE_MS);
  const { data, isFetching, error } = useQuery({
    queryKey: ['rows', { source, table: reference.table }, 'search', sent, Object.values(reference.columns)],
    queryFn: async ({ signal }) => (await readFound(info, sent, signal)).value,
    enabled: info?.tracked === true,
    placeholderData: keepPreviousData,
  });
  const readFound = (found: TableInfo | undefined, text: string, signal: AbortSignal) =>
    readRows(client, { source, table: reference.table }, referenceQuery(found, reference, text), {}, signal);
  const label = tableLabel(reference.table);
  const notice =
    info?.tracked === false
      ? `Track ${label} to search its rows.`
      : error !== null
        ? `The rows of ${label} could not be read: ${error.message}`
        : undefined;
  return (
    <ChoiceEditor
      {...props}
      options={referenceOptions(info, reference, data ?? [])}
      onSearch={setSearch}
      isLoading={isFetching || search !== sent}
      notice={notice}
      isFree={notice !== undefined}
    />
  );
}
