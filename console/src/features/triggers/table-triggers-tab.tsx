/** The event triggers of a table, as a tab of its page. */
import { Button, Group, Stack, Text } from '@mantine/core';
import { toFailure } from '../../api/failure.ts';
import { linkTo } from '../../router/location.ts';
import { sameTable, type TableTabProps, tableLabel } from '../../shared/sources/table-paths.ts';
import { useTableInfo } from '../../shared/sources/use-sources.ts';
import { EmptyState } from '../../ui/feedback/empty-state.tsx';
import { FailureNotice } from '../../ui/feedback/failure-notice.tsx';
import { Loading } from '../../ui/feedback/loading.tsx';
import { PlusIcon } from '../../ui/page/icons.tsx';
import { newPath } from './trigger-state.ts';
import { TriggerTable } from './trigger-table.tsx';
import { useTriggers } from './use-triggers.ts';

export function TableTriggersTab({ source, table }: TableTabProps) {
  const { data, error, refetch } = useTriggers();
  const { data: info } = useTableInfo(source, table);
  const form = newPath({ source, schema: table.schema, table: table.name });
  if (error !== null && data === undefined) {
    return <FailureNotice title="The triggers could not be read" failure={toFailure(error)} onRetry={refetch} />;
  }
  if (data === undefined || info === undefined) return <Loading />;
  const triggers = data.value.filter((one) => one.source === source && sameTable(one.table, table));
  if (!info.tracked) {
    return (
      <EmptyState title={`${tableLabel(table)} is not tracked`}>
        Track it first: only tracked tables have event triggers.
      </EmptyState>
    );
  }
  if (triggers.length === 0) {
    return (
      <EmptyState
        title={`${tableLabel(table)} has no event trigger`}
        action={
          <Button component="a" variant="light" mt="xs" {...linkTo(form)}>
            Create a trigger
          </Button>
        }
      >
        A trigger calls a webhook, a saved operation or a function for each row that is inserted, updated or deleted.
      </EmptyState>
    );
  }
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Text size="sm" c="dimmed">
          Webhooks, saved operations and functions that are called for changes of rows of this table.
        </Text>
        <Button component="a" size="xs" variant="default" leftSection={<PlusIcon size={14} />} {...linkTo(form)}>
          Create a trigger
        </Button>
      </Group>
      <TriggerTable
        label={`Event triggers of ${tableLabel(table)}`}
        triggers={triggers}
        withTable={false}
        withSource={false}
      />
    </Stack>
  );
}
