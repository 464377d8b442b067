/** The enum types of a source. */
import { Button } from '@mantine/core';
import { useState } from 'react';
import { toFailure } from '../../../api/failure.ts';
import { sourcePath } from '../../../shared/sources/table-paths.ts';
import { DetailDrawer } from '../../../ui/dialog/detail-drawer.tsx';
import { EmptyState } from '../../../ui/feedback/empty-state.tsx';
import { FailureNotice } from '../../../ui/feedback/failure-notice.tsx';
import { Loading } from '../../../ui/feedback/loading.tsx';
import { PlusIcon } from '../../../ui/page/icons.tsx';
import { PageHeader } from '../../../ui/page/page-header.tsx';
import { EnumTypeList } from '../structure/enum-type-list.tsx';
import { useEnumTypes } from '../structure/enum-types-api.ts';
import { CreateEnumTypeForm } from '../structure/forms/enum-forms.tsx';

export function EnumTypesPage({ params }: { readonly params: Readonly<Record<string, string>> }) {
  const { source = '' } = params;
  const { data, error, refetch } = useEnumTypes(source);
  const [creating, setCreating] = useState(false);
  const close = (): void => setCreating(false);
  return (
    <>
      <PageHeader
        title="Enum types"
        about="Types of the database whose values are a fixed list. A column can have one as its type."
        back={{ to: sourcePath(source), label: 'Tables' }}
        actions={
          <Button leftSection={<PlusIcon size={16} />} onClick={() => setCreating(true)}>
            Create an enum type
          </Button>
        }
      />
      {error !== null && (
        <FailureNotice title="The types could not be read" failure={toFailure(error)} onRetry={refetch} />
      )}
      {data === undefined && error === null && <Loading />}
      {data?.length === 0 && (
        <EmptyState title="The database has no enum types yet">
          Create one here, or with a column on the page Structure of its table.
        </EmptyState>
      )}
      {data !== undefined && data.length > 0 && <EnumTypeList source={source} types={data} />}
      <DetailDrawer subject={creating} title="Create an enum type" size="form" onClose={close}>
        {() => <CreateEnumTypeForm source={source} onClose={close} />}
      </DetailDrawer>
    </>
  );
}
