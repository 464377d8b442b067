/** Every page of the console: its address, its place in the navigation, and the code that is loaded when it is opened. */
import { type ComponentType, lazy, type ReactNode, Suspense, useMemo } from 'react';
import { usePlace } from './router/place.ts';
import { matchPath } from './router/routes.ts';
import { ErrorBoundary } from './shell/error-boundary.tsx';
import { NotFoundPage } from './shell/not-found-page.tsx';
import { Loading } from './show/loading.tsx';

interface PageProps {
  /** The steps of the path that stand for something. */
  readonly params: Readonly<Record<string, string>>;
}

interface Page {
  /** As `matchPath` takes it. */
  readonly pattern: string;
  readonly Component: ComponentType<PageProps>;
}

const pages: readonly Page[] = [
  {
    pattern: '/',
    Component: lazy(async () => ({ default: (await import('./overview/overview-page.tsx')).OverviewPage })),
  },
  {
    pattern: '/explore',
    Component: lazy(async () => ({ default: (await import('./explore/explore-page.tsx')).ExplorePage })),
  },
  {
    pattern: '/settings',
    Component: lazy(async () => ({ default: (await import('./settings/settings-page.tsx')).SettingsPage })),
  },
  {
    pattern: '/settings/:view',
    Component: lazy(async () => ({ default: (await import('./settings/settings-page.tsx')).SettingsPage })),
  },
  {
    pattern: '/operations/:view',
    Component: lazy(async () => ({ default: (await import('./operations/operations-page.tsx')).OperationsPage })),
  },
  {
    pattern: '/data',
    Component: lazy(async () => ({ default: (await import('./data/sources-page.tsx')).SourcesPage })),
  },
  {
    pattern: '/data/:source',
    Component: lazy(async () => ({ default: (await import('./data/tables-page.tsx')).TablesPage })),
  },
  {
    pattern: '/data/:source/diagram',
    Component: lazy(async () => ({ default: (await import('./data-links/diagram-page.tsx')).DiagramPage })),
  },
  {
    pattern: '/data/:source/functions',
    Component: lazy(async () => ({ default: (await import('./data/functions-page.tsx')).FunctionsPage })),
  },
  {
    pattern: '/data/:source/settings',
    Component: lazy(async () => ({ default: (await import('./data/source-page.tsx')).SourcePage })),
  },
  {
    pattern: '/data/:source/new-table',
    Component: lazy(async () => ({ default: (await import('./data/new-table-page.tsx')).NewTablePage })),
  },
  {
    pattern: '/data/:source/:schema/:table/:tab',
    Component: lazy(async () => ({ default: (await import('./data/table-page.tsx')).TablePage })),
  },
  {
    pattern: '/sql',
    Component: lazy(async () => ({ default: (await import('./data/sql-page.tsx')).SqlPage })),
  },
  {
    pattern: '/actions',
    Component: lazy(async () => ({ default: (await import('./actions/actions-page.tsx')).ActionsPage })),
  },
  {
    pattern: '/actions/new',
    Component: lazy(async () => ({ default: (await import('./actions/action-form.tsx')).NewActionPage })),
  },
  {
    pattern: '/actions/edit/:name',
    Component: lazy(async () => ({ default: (await import('./actions/action-form.tsx')).EditActionPage })),
  },
  {
    pattern: '/actions/of/:name',
    Component: lazy(async () => ({ default: (await import('./actions/action-page.tsx')).ActionPage })),
  },
  {
    pattern: '/remotes',
    Component: lazy(async () => ({ default: (await import('./remotes/remotes-page.tsx')).RemotesPage })),
  },
  {
    pattern: '/remotes/new',
    Component: lazy(async () => ({ default: (await import('./remotes/remote-form.tsx')).NewRemotePage })),
  },
  {
    pattern: '/remotes/of/:name',
    Component: lazy(async () => ({ default: (await import('./remotes/remote-page.tsx')).RemotePage })),
  },
  {
    pattern: '/events/one-off/:view',
    Component: lazy(async () => ({ default: (await import('./events/one-off-page.tsx')).OneOffPage })),
  },
  {
    pattern: '/events/cron/:view',
    Component: lazy(async () => ({ default: (await import('./cron/cron-page.tsx')).CronPage })),
  },
  {
    pattern: '/events/delivery',
    Component: lazy(async () => ({ default: (await import('./delivery/delivery-page.tsx')).DeliveryPage })),
  },
];

export function CurrentPage(): ReactNode {
  const { path } = usePlace();
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
