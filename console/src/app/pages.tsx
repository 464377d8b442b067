/** The routes of the console. The code of each page is loaded on demand. */
import { type ComponentType, lazy, type ReactNode, Suspense, useMemo } from 'react';
import type { TableTabs } from '../features/tables/table-page.tsx';
import { useLocation } from '../router/location.ts';
import { matchPath } from '../router/path-pattern.ts';
import { Loading } from '../ui/feedback/loading.tsx';
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
  rows: lazy(async () => ({ default: (await import('../features/tables/rows/rows-tab.tsx')).RowsTab })),
  structure: lazy(async () => ({
    default: (await import('../features/tables/structure/structure-tab.tsx')).StructureTab,
  })),
  relationships: lazy(async () => ({
    default: (await import('../features/relationships/relationships-tab.tsx')).RelationshipsTab,
  })),
  permissions: lazy(async () => ({
    default: (await import('../features/permissions/permissions-tab.tsx')).PermissionsTab,
  })),
  triggers: lazy(async () => ({
    default: (await import('../features/triggers/table-triggers-tab.tsx')).TableTriggersTab,
  })),
};

const pages: readonly Page[] = [
  {
    pattern: '/',
    Component: lazy(async () => ({ default: (await import('../features/overview/overview-page.tsx')).OverviewPage })),
  },
  {
    pattern: '/explore',
    Component: lazy(async () => ({ default: (await import('../features/explore/explore-page.tsx')).ExplorePage })),
  },
  {
    pattern: '/audit',
    Component: lazy(async () => ({ default: (await import('../features/audit/audit-page.tsx')).AuditPage })),
  },
  {
    pattern: '/project',
    Component: lazy(async () => ({ default: (await import('../features/project/project-page.tsx')).ProjectPage })),
  },
  {
    pattern: '/settings',
    Component: lazy(async () => ({ default: (await import('../features/settings/settings-page.tsx')).SettingsPage })),
  },
  {
    pattern: '/settings/:view',
    Component: lazy(async () => ({ default: (await import('../features/settings/settings-page.tsx')).SettingsPage })),
  },
  {
    pattern: '/operations/:view',
    Component: lazy(async () => ({
      default: (await import('../features/operations/operations-page.tsx')).OperationsPage,
    })),
  },
  {
    pattern: '/data',
    Component: lazy(async () => ({ default: (await import('../features/sources/sources-page.tsx')).SourcesPage })),
  },
  {
    pattern: '/data/:source',
    Component: lazy(async () => ({ default: (await import('../features/tables/tables-page.tsx')).TablesPage })),
  },
  {
    pattern: '/data/:source/diagram',
    Component: lazy(async () => ({ default: (await import('../features/diagram/diagram-page.tsx')).DiagramPage })),
  },
  {
    pattern: '/data/:source/functions',
    Component: lazy(async () => ({
      default: (await import('../features/functions/functions-page.tsx')).FunctionsPage,
    })),
  },
  {
    pattern: '/data/:source/native-queries',
    Component: lazy(async () => ({
      default: (await import('../features/native-queries/native-queries-page.tsx')).NativeQueriesPage,
    })),
  },
  {
    pattern: '/data/:source/settings',
    Component: lazy(async () => ({ default: (await import('../features/sources/source-page.tsx')).SourcePage })),
  },
  {
    pattern: '/data/:source/new-table',
    Component: lazy(async () => ({ default: (await import('../features/tables/new-table-page.tsx')).NewTablePage })),
  },
  {
    pattern: '/data/:source/:schema/:table/:tab',
    Component: lazy(async () => {
      const { TablePage } = await import('../features/tables/table-page.tsx');
      return { default: (props: PageProps) => <TablePage {...props} tabs={tableTabs} /> };
    }),
  },
  {
    pattern: '/sql',
    Component: lazy(async () => ({ default: (await import('../features/sql/sql-page.tsx')).SqlPage })),
  },
  {
    pattern: '/actions',
    Component: lazy(async () => ({ default: (await import('../features/actions/actions-page.tsx')).ActionsPage })),
  },
  {
    pattern: '/actions/new',
    Component: lazy(async () => ({ default: (await import('../features/actions/new-action-page.tsx')).NewActionPage })),
  },
  {
    pattern: '/actions/of/:name',
    Component: lazy(async () => ({ default: (await import('../features/actions/action-page.tsx')).ActionPage })),
  },
  {
    pattern: '/remotes',
    Component: lazy(async () => ({
      default: (await import('../features/remote-schemas/remotes-page.tsx')).RemotesPage,
    })),
  },
  {
    pattern: '/remotes/new',
    Component: lazy(async () => ({
      default: (await import('../features/remote-schemas/remote-form.tsx')).NewRemotePage,
    })),
  },
  {
    pattern: '/remotes/of/:name',
    Component: lazy(async () => ({ default: (await import('../features/remote-schemas/remote-page.tsx')).RemotePage })),
  },
  {
    pattern: '/events/activity',
    Component: lazy(async () => ({
      default: (await import('../features/events/activity/activity-page.tsx')).ActivityPage,
    })),
  },
  {
    pattern: '/events/one-off/:view',
    Component: lazy(async () => ({ default: (await import('../features/events/one-off-page.tsx')).OneOffPage })),
  },
  {
    pattern: '/events/cron/:view',
    Component: lazy(async () => ({ default: (await import('../features/cron/cron-page.tsx')).CronPage })),
  },
  {
    pattern: '/events/triggers',
    Component: lazy(async () => ({ default: (await import('../features/triggers/triggers-page.tsx')).TriggersPage })),
  },
  {
    pattern: '/events/triggers/new',
    Component: lazy(async () => ({
      default: (await import('../features/triggers/form/trigger-form-page.tsx')).NewTriggerPage,
    })),
  },
  {
    pattern: '/events/triggers/edit/:source/:name',
    Component: lazy(async () => ({
      default: (await import('../features/triggers/form/trigger-form-page.tsx')).EditTriggerPage,
    })),
  },
  {
    pattern: '/events/triggers/of/:source/:name/:tab',
    Component: lazy(async () => ({
      default: (await import('../features/triggers/detail/trigger-page.tsx')).TriggerPage,
    })),
  },
  {
    pattern: '/events/delivery',
    Component: lazy(async () => ({ default: (await import('../features/delivery/delivery-page.tsx')).DeliveryPage })),
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
      <Suspense fallback={<Loading />}>
        <Component params={params} />
      </Suspense>
    </ErrorBoundary>
  );
}
