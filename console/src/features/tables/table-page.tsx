/** The page of a table or view with its tabs. */
import type { TableInfo } from '@joinery/metadata/api/sources/catalog';
import { isGraphqlName, suggestedName } from '@joinery/metadata/graphql-names';
import { Alert, Badge, Button, Group, Stack, Tabs, Text } from '@mantine/core';
import { type ComponentType, useState } from 'react';
import { toFailure } from '../../api/failure.ts';
import { useCommand } from '../../api/use-command.ts';
import { linkTo, navigate } from '../../router/location.ts';
import { reloadSource } from '../../shared/sources/sources-api.ts';
import {
  isTableTab,
  sameTable,
  sourcePath,
  type TableTab,
  type TableTabProps,
  tableKey,
  tableLabel,
  tablePath,
  tableTabs,
} from '../../shared/sources/table-paths.ts';
import { TrackDialog } from '../../shared/sources/track-dialog.tsx';
import { defaultName } from '../../shared/sources/track-names.ts';
import { useSources, useTableInfo } from '../../shared/sources/use-sources.ts';
import { DetailDrawer } from '../../ui/dialog/detail-drawer.tsx';
import { EmptyState } from '../../ui/feedback/empty-state.tsx';
import { FailureNotice } from '../../ui/feedback/failure-notice.tsx';
import { Loading } from '../../ui/feedback/loading.tsx';
import { sentence } from '../../ui/format.ts';
import classes from '../../ui/page/data-page.module.css';
import { AlertIcon } from '../../ui/page/icons.tsx';
import { PageHeader } from '../../ui/page/page-header.tsx';
import { NamesForm } from './columns/names-section.tsx';
import { useTableProblems } from './table-problems.ts';
import { kindOf, rowsOf } from './table-text.ts';
import { UntrackDialog } from './untrack-dialog.tsx';

const names: Readonly<Record<TableTab, string>> = {
  rows: 'Rows',
  structure: 'Structure',
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
  // `columns` is the former path of the structure.
  const tab = params.tab === 'columns' ? 'structure' : isTableTab(params.tab) ? params.tab : 'rows';
  const { data, error, refetch } = useTableInfo(source, table);
  const problems = useTableProblems(source);
  const problem = problems?.get(tableKey(table));
  // Without a custom name such a table is in no schema; its rows are not requested before this is known.
  const mayBeHidden = problems === undefined && !isGraphqlName(defaultName(table));
  return (
    <>
      <TableHeader source={source} table={table} info={data} />
      {error !== null && (
        <FailureNotice title="The table could not be read" failure={toFailure(error)} onRetry={refetch} />
      )}
      {data?.tracked === true && data.changed && <Changed source={source} />}
      {data?.tracked === true && problem !== undefined && <Problem source={source} table={table} reason={problem} />}
      {data === undefined || (mayBeHidden && tab === 'rows' && data.tracked) ? (
        error === null && <Loading />
      ) : (
        <Tab source={source} table={table} tab={tab} tabs={tabs} isHidden={data.tracked && problem !== undefined} />
      )}
    </>
  );
}

/** Why a tracked table is in no schema, with the form of its names. */
function Problem({ source, table, reason }: TableTabProps & { readonly reason: string }) {
  const [naming, setNaming] = useState(false);
  const sources = useSources();
  const entry = sources.data?.find((one) => one.name === source)?.tables.find((one) => sameTable(one.table, table));
  return (
    <Alert color="red" variant="outline" icon={<AlertIcon />} title="The table is in no schema">
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{sentence(reason)}</Text>
        <Group gap="xs">
          <Button size="xs" loading={entry === undefined} onClick={() => setNaming(true)}>
            Set a GraphQL name
          </Button>
          <Button size="xs" variant="default" component="a" {...linkTo(tablePath(source, table, 'structure'))}>
            Open its columns and names
          </Button>
        </Group>
      </Stack>
      <DetailDrawer
        subject={naming && entry}
        title={`Names of ${tableLabel(table)}`}
        size="form"
        onClose={() => setNaming(false)}
      >
        {(shown) => (
          <NamesForm
            source={source}
            entry={shown}
            suggested={suggestedName(defaultName(table))}
            onClose={() => setNaming(false)}
          />
        )}
      </DetailDrawer>
    </Alert>
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
  /** Whether the table is in no schema, so that its rows cannot be requested. */
  readonly isHidden: boolean;
}

function Tab({ source, table, tab, tabs, isHidden }: TabProps) {
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
          {one === 'rows' && isHidden && (
            <EmptyState title="No rows are shown">Rows are read by GraphQL, and the table is in no schema.</EmptyState>
          )}
          {one === tab && !(one === 'rows' && isHidden) && (
            <Component key={tablePath(source, table)} source={source} table={table} />
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
  const [tracking, setTracking] = useState(false);
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
            <Button size="xs" loading={tracking} onClick={() => setTracking(true)}>
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
      <TrackDialog
        source={source}
        tables={tracking ? [table] : []}
        onClose={() => setTracking(false)}
        onDone={() => setTracking(false)}
      />
      <UntrackDialog
        source={source}
        tables={untracking ? [table] : []}
        onClose={() => setUntracking(false)}
        onDone={() => setUntracking(false)}
      />
    </Stack>
  );
}
