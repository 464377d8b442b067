/** The rows tab of a table. */
import { Button, Group } from '@mantine/core';
import { linkTo } from '../../../router/location.ts';
import { type TableTabProps, tableLabel } from '../../../shared/sources/table-paths.ts';
import { useSources, useTableInfo } from '../../../shared/sources/use-sources.ts';
import { EmptyState } from '../../../ui/feedback/empty-state.tsx';
import { Loading } from '../../../ui/feedback/loading.tsx';
import { RowsBrowser } from './rows-browser.tsx';

export function RowsTab({ source, table }: TableTabProps) {
  const { data: info } = useTableInfo(source, table);
  const sources = useSources();
  if (info === undefined) return <Loading />;
  if (!info.tracked) {
    const sql = `select * from ${quoted(table.schema)}.${quoted(table.name)} limit 100`;
    return (
      <EmptyState
        title={`${tableLabel(table)} is not tracked`}
        action={
          <Group mt="xs">
            <Button
              variant="default"
              component="a"
              {...linkTo(`/sql?source=${encodeURIComponent(source)}&sql=${encodeURIComponent(sql)}`)}
            >
              Read it by SQL
            </Button>
          </Group>
        }
      >
        Track it to browse its rows here and to have it in the GraphQL schema.
      </EmptyState>
    );
  }
  const entry = sources.data
    ?.find((one) => one.name === source)
    ?.tables.find((one) => one.table.schema === table.schema && one.table.name === table.name);
  return <RowsBrowser target={{ source, table }} info={info} entry={entry} />;
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
