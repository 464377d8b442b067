/** The page of a table or view with its tabs. */
import type { TableInfo } from '@joinery/metadata/api/catalog';
import { Alert, Badge, Button, Group, Stack, Tabs, Text } from '@mantine/core';
import { type ComponentType, Suspense, useState } from 'react';
import { type Failure, toFailure } from '../../api/failure.ts';
import { useCommand } from '../../api/use-command.ts';
import { navigate } from '../../router/location.ts';
import { reloadSource, trackTables } from '../../shared/sources/sources-api.ts';
import {
  isTableTab,
  sourcePath,
  type TableName,
  type TableTab,
  type TableTabProps,
  tableLabel,
  tablePath,
  tableTabs,
} from '../../shared/sources/table-paths.ts';
import { useTableInfo } from '../../shared/sources/use-sources.ts';
import { FailureNotice } from '../../ui/feedback/failure-notice.tsx';
import { Loading } from '../../ui/feedback/loading.tsx';
import classes from '../../ui/page/data-page.module.css';
import { AlertIcon } from '../../ui/page/icons.tsx';
import { PageHeader } from '../../ui/page/page-header.tsx';
import { kindOf, rowsOf } from './table-text.ts';
import { UntrackDialog } from './untrack-dialog.tsx';

const names: Readonly<Record<TableTab, string>> = {
  rows: 'Rows',
  columns: 'Columns',
  relationships: 'Relationships',
  permissions: 'Permissions',
  triggers: 'Event triggers',
};

/** The component of each tab. The pages of the application pass it, as its tabs come from several features. */
export type TableTabs = Readonly<Record<TableTab, ComponentType<TableTabProps>>>;

interface TablePageProps {
  readonly params: Readonly<Record<string, string>>;
  readonly tabs: TableTabs;
}

export function TablePage({ params, tabs }: TablePageProps) {
  const { source = '', schema = '', table: name = '' } = params;
  const table = { schema, name };
  const tab = isTableTab(params.tab) ? params.tab : 'rows';
  const { data, error, refetch } = useTableInfo(source, table);
  return (
    <>
      <TableHeader source={source} table={table} info={data} />
      {error !== null && (
        <FailureNotice title="The table could not be read" failure={toFailure(error)} onRetry={refetch} />
      )}
      {data?.tracked === true && data.changed && <Changed source={source} />}
      {data === undefined ? error === null && <Loading /> : <Tab source={source} table={table} tab={tab} tabs={tabs} />}
    </>
  );
}

/** Warning that the table changed since the service introspected it. */
function Changed({ source }: { readonly source: string }) {
  const { run, failure, isPending } = useCommand((client) => reloadSource(client, source), {
    notice: () => ({ title: `${source} was reloaded` }),
    changes: [['metadata'], ['rows']],
  });
  return (
    <Alert color="yellow" variant="outline" icon={<AlertIcon />} title="The table was changed in the database">
      <Stack gap="xs" align="flex-start">
        <Text size="sm">The GraphQL schema and the rows below are of the table as it was before.</Text>
        <Button size="xs" variant="default" loading={isPending} onClick={() => run()}>
          Read it again
        </Button>
        {failure !== undefined && <FailureNotice title="The source was not read" failure={failure} />}
      </Stack>
    </Alert>
  );
}

interface TabProps extends TableTabProps {
  readonly tab: TableTab;
  readonly tabs: TableTabs;
}

function Tab({ source, table, tab, tabs }: TabProps) {
  const Component = tabs[tab];
  return (
    <Tabs
      value={tab}
      onChange={(chosen) => navigate(tablePath(source, table, isTableTab(chosen) ? chosen : 'rows'))}
      keepMounted={false}
    >
      <Tabs.List className={classes.tabs ?? ''} aria-label={`Table ${tableLabel(table)}`}>
        {tableTabs.map((one) => (
          <Tabs.Tab key={one} value={one}>
            {names[one]}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {tableTabs.map((one) => (
        <Tabs.Panel key={one} value={one} pt="md">
          {one === tab && (
            <Suspense fallback={<Loading />}>
              <Component key={tablePath(source, table)} source={source} table={table} />
            </Suspense>
          )}
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}

interface TableHeaderProps extends TableTabProps {
  /** Undefined while loading. */
  readonly info: TableInfo | undefined;
}

function TableHeader({ source, table, info }: TableHeaderProps) {
  const [untracking, setUntracking] = useState(false);
  const tracking = useTracking(source, table);
  return (
    <Stack gap={6}>
      <PageHeader
        title={tableLabel(table)}
        back={{ to: sourcePath(source), label: source === 'default' ? 'Tables' : `Tables of ${source}` }}
        {...(info?.comment && { about: info.comment })}
        actions={
          info !== undefined &&
          (info.tracked ? (
            <Button size="xs" variant="default" onClick={() => setUntracking(true)}>
              Untrack
            </Button>
          ) : (
            <Button size="xs" loading={tracking.isPending} onClick={tracking.track}>
              Track
            </Button>
          ))
        }
      />
      {info !== undefined && (
        <Group gap="sm">
          <Badge variant="light" color={info.tracked ? 'pine' : 'gray'} tt="none" fw={500}>
            {info.tracked ? 'Tracked' : 'Not tracked'}
          </Badge>
          <Text size="sm" c="dimmed">
            {[kindOf(info), rowsOf(info)].filter((one) => one !== '').join(' · ')}
          </Text>
        </Group>
      )}
      {tracking.failure !== undefined && <FailureNotice title="The table was not tracked" failure={tracking.failure} />}
      <UntrackDialog
        source={source}
        tables={untracking ? [table] : []}
        onClose={() => setUntracking(false)}
        onDone={() => setUntracking(false)}
      />
    </Stack>
  );
}

interface Tracking {
  readonly track: () => void;
  readonly isPending: boolean;
  readonly failure: Failure | undefined;
}

function useTracking(source: string, table: TableName): Tracking {
  const { run, isPending, failure } = useCommand((client) => trackTables(client, source, [table]), {
    notice: () => ({ title: `${tableLabel(table)} is tracked`, text: 'It is part of the GraphQL schema now.' }),
  });
  return { track: () => run(), isPending, failure };
}
