/** Stored operations, REST endpoints, limits and recent errors. */
import { Tabs } from '@mantine/core';
import type { ReactNode } from 'react';
import { toFailure } from '../../api/failure.ts';
import { useMetadata } from '../../api/metadata.ts';
import { navigate } from '../../router/location.ts';
import { FailureNotice } from '../../ui/feedback/failure-notice.tsx';
import { Loading } from '../../ui/feedback/loading.tsx';
import { PageHeader } from '../../ui/page/page-header.tsx';
import classes from '../../ui/page/tabs.module.css';
import { CollectionsSection } from './collections-section.tsx';
import { EndpointsSection } from './endpoints-section.tsx';
import { LimitsSection } from './limits-section.tsx';
import { type Operations, operationsOf } from './operations-api.ts';
import { RecentErrorsSection } from './recent-errors-section.tsx';

const tabs = ['collections', 'endpoints', 'limits', 'rejected'] as const;
const names = {
  collections: 'Collections',
  endpoints: 'REST endpoints',
  limits: 'Limits',
  rejected: 'Rejected requests',
} as const;

/** `view` is one of the tabs. */
export function OperationsPage({ params }: { readonly params: Readonly<Record<string, string>> }) {
  const tab = tabs.find((one) => one === params.view) ?? 'collections';
  return (
    <>
      <PageHeader title="Operations" about="Stored operations, limits and rejected requests." />
      <Tabs value={tab} onChange={(chosen) => navigate(`/operations/${chosen ?? 'collections'}`)} keepMounted={false}>
        <Tabs.List className={classes.list} aria-label="Operations">
          {tabs.map((one) => (
            <Tabs.Tab key={one} value={one} className={classes.tab ?? ''}>
              {names[one]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="collections" pt="md">
          <OfMetadata>{(operations) => <CollectionsSection operations={operations} />}</OfMetadata>
        </Tabs.Panel>
        <Tabs.Panel value="endpoints" pt="md">
          <OfMetadata>{(operations) => <EndpointsSection operations={operations} />}</OfMetadata>
        </Tabs.Panel>
        <Tabs.Panel value="limits" pt="md">
          <OfMetadata>{(operations) => <LimitsSection operations={operations} />}</OfMetadata>
        </Tabs.Panel>
        <Tabs.Panel value="rejected" pt="md">
          <RecentErrorsSection />
        </Tabs.Panel>
      </Tabs>
    </>
  );
}

function OfMetadata({ children }: { readonly children: (operations: Operations) => ReactNode }) {
  const { data, error, refetch } = useMetadata(operationsOf);
  if (data !== undefined) return children(data);
  if (error === null) return <Loading />;
  return <FailureNotice title="The metadata could not be read" failure={toFailure(error)} onRetry={refetch} />;
}
