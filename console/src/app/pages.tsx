/** The routes of the console. The code of each page is loaded on demand. */
import { type ComponentType, type ReactNode, useMemo } from 'react';
import type { TableTabs } from '../features/tables/table-page.tsx';
import { useLocation } from '../router/location.ts';
import { matchPath } from '../router/path-pattern.ts';
import { Loading } from '../ui/feedback/loading.tsx';
import { onDemand } from '../ui/page/on-demand.tsx';
import { ErrorBoundary } from './shell/error-boundary.tsx';
import { NotFoundPage } from './shell/not-found-page.tsx';

interface PageProps {
  /** Values of the parameters in the path. */
  readonly params: Readonly<Record<string, string>>;
}

interface Page {
  /** A pattern for `matchPath`. */
  readonly pattern: string;
  readonly Component: ComponentType<PageProps>;
}

const tableTabs: TableTabs = {
  rows: onDemand(async () => (await import('../features/tables/rows/rows-tab.tsx')).RowsTab, Loading),
  structure: onDemand(
    async () => (await import('../features/tables/structure/structure-tab.tsx')).StructureTab,
    Loading,
  ),
  relationships: onDemand(
    async () => (await import('../features/relationships/relationships-tab.tsx')).RelationshipsTab,
    Loading,
  ),
  permissions: onDemand(
    async () => (await import('../features/permissions/permissions-tab.tsx')).PermissionsTab,
    Loading,
  ),
  triggers: onDemand(
    async () => (await import('../features/triggers/table-triggers-tab.tsx')).TableTriggersTab,
    Loading,
  ),
};

const pages: readonly Page[] = [
  {
    pattern: '/',
    Component: onDemand(async () => (await import('../features/overview/overview-page.tsx')).OverviewPage, Loading),
  },
  {
    pattern: '/explore',
    Component: onDemand(async () => (await import('../features/explore/explore-page.tsx')).ExplorePage, Loading),
  },
  {
    pattern: '/audit',
    Component: onDemand(async () => (await import('../features/audit/audit-page.tsx')).AuditPage, Loading),
  },
  {
    pattern: '/project',
    Component: onDemand(async () => (await import('../features/project/project-page.tsx')).ProjectPage, Loading),
  },
  {
    pattern: '/settings',
    Component: onDemand(async () => (await import('../features/settings/settings-page.tsx')).SettingsPage, Loading),
  },
  {
    pattern: '/settings/:view',
    Component: onDemand(async () => (await import('../features/settings/settings-page.tsx')).SettingsPage, Loading),
  },
  {
    pattern: '/operations/:view',
    Component: onDemand(
      async () => (await import('../features/operations/operations-page.tsx')).OperationsPage,
      Loading,
    ),
  },
  {
    pattern: '/data',
    Component: onDemand(async () => (await import('../features/sources/sources-page.tsx')).SourcesPage, Loading),
  },
  {
    pattern: '/data/:source',
    Component: onDemand(async () => (await import('../features/tables/tables-page.tsx')).TablesPage, Loading),
  },
  {
    pattern: '/data/:source/diagram',
    Component: onDemand(async () => (await import('../features/diagram/diagram-page.tsx')).DiagramPage, Loading),
  },
  {
    pattern: '/data/:source/functions',
    Component: onDemand(
      async () => (await import('../features/tables/functions/functions-page.tsx')).FunctionsPage,
      Loading,
    ),
  },
  {
    pattern: '/data/:source/enum-types',
    Component: onDemand(
      async () => (await import('../features/tables/enum-types/enum-types-page.tsx')).EnumTypesPage,
      Loading,
    ),
  },
  {
    pattern: '/data/:source/native-queries',
    Component: onDemand(
      async () => (await import('../features/native-queries/native-queries-page.tsx')).NativeQueriesPage,
      Loading,
    ),
  },
  {
    pattern: '/data/:source/settings',
    Component: onDemand(async () => (await import('../features/sources/source-page.tsx')).SourcePage, Loading),
  },
  {
    pattern: '/data/:source/new-table',
    Component: onDemand(async () => (await import('../features/tables/new-table-page.tsx')).NewTablePage, Loading),
  },
  {
    pattern: '/data/:source/:schema/:table/:tab',
    Component: onDemand(async () => {
      const { TablePage } = await import('../features/tables/table-page.tsx');
      return (props: PageProps) => <TablePage {...props} tabs={tableTabs} />;
    }, Loading),
  },
  {
    pattern: '/sql',
    Component: onDemand(async () => (await import('../features/sql/sql-page.tsx')).SqlPage, Loading),
  },
  {
    pattern: '/actions',
    Component: onDemand(async () => (await import('../features/actions/actions-page.tsx')).ActionsPage, Loading),
  },
  {
    pattern: '/actions/new',
    Component: onDemand(async () => (await import('../features/actions/new-action-page.tsx')).NewActionPage, Loading),
  },
  {
    pattern: '/actions/of/:name',
    Component: onDemand(async () => (await import('../features/actions/action-page.tsx')).ActionPage, Loading),
  },
  {
    pattern: '/remotes',
    Component: onDemand(async () => (await import('../features/remote-schemas/remotes-page.tsx')).RemotesPage, Loading),
  },
  {
    pattern: '/remotes/new',
    Component: onDemand(
      async () => (await import('../features/remote-schemas/remote-form.tsx')).NewRemotePage,
      Loading,
    ),
  },
  {
    pattern: '/remotes/of/:name',
    Component: onDemand(async () => (await import('../features/remote-schemas/remote-page.tsx')).RemotePage, Loading),
  },
  {
    pattern: '/events/activity',
    Component: onDemand(
      async () => (await import('../features/events/activity/activity-page.tsx')).ActivityPage,
      Loading,
    ),
  },
  {
    pattern: '/events/one-off/:view',
    Component: onDemand(async () => (await import('../features/events/one-off-page.tsx')).OneOffPage, Loading),
  },
  {
    pattern: '/events/cron/:view',
    Component: onDemand(async () => (await import('../features/cron/cron-page.tsx')).CronPage, Loading),
  },
  {
    pattern: '/events/triggers',
    Component: onDemand(async () => (await import('../features/triggers/triggers-page.tsx')).TriggersPage, Loading),
  },
  {
    pattern: '/events/triggers/new',
    Component: onDemand(
      async () => (await import('../features/triggers/form/trigger-form-page.tsx')).NewTriggerPage,
      Loading,
    ),
  },
  {
    pattern: '/events/triggers/edit/:source/:name',
    Component: onDemand(
      async () => (await import('../features/triggers/form/trigger-form-page.tsx')).EditTriggerPage,
      Loading,
    ),
  },
  {
    pattern: '/events/triggers/of/:source/:name/:tab',
    Component: onDemand(
      async () => (await import('../features/triggers/detail/trigger-page.tsx')).TriggerPage,
      Loading,
    ),
  },
  {
    pattern: '/events/delivery',
    Component: onDemand(async () => (await import('../features/delivery/delivery-page.tsx')).DeliveryPage, Loading),
  },
];

export function CurrentPage(): ReactNode {
  const { path } = useLocation();
  const found = useMemo(() => {
    for (const page of pages) {
      const params = matchPath(page.pattern, path);
      if (params !== undefined) return { ...page, params };
    }
    return undefined;
  }, [path]);
  if (found === undefined) return <NotFoundPage path={path} />;
  const { pattern, Component, params } = found;
  return (
    <ErrorBoundary key={pattern}>
      <Component params={params} />
    </ErrorBoundary>
  );
}
