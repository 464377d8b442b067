/** The databases whose tables are part of the schema. */
import { Anchor, Stack } from '@mantine/core';
import { toFailure } from '../api/failure.ts';
import { linkTo } from '../router/place.ts';
import { FailureNotice } from '../show/failure-notice.tsx';
import { Loading } from '../show/loading.tsx';
import { PageHeader } from '../show/page-header.tsx';
import { sourcePath } from './table-paths.ts';
import { useSources } from './use-data.ts';

export function SourcesPage() {
  const { data, error, refetch } = useSources();
  return (
    <>
      <PageHeader title="Sources" about="The databases whose tables are part of the GraphQL schema." />
      <Stack>
        {error !== null && (
          <FailureNotice title="The sources could not be read" failure={toFailure(error)} onRetry={refetch} />
        )}
        {data === undefined && error === null && <Loading />}
        {data?.map(({ name }) => (
          <Anchor key={name} {...linkTo(sourcePath(name))}>
            {name}
          </Anchor>
        ))}
      </Stack>
    </>
  );
}
