/** The page for unknown paths. */
import { Button } from '@mantine/core';
import { linkTo } from '../../router/location.ts';
import { EmptyState } from '../../ui/feedback/empty-state.tsx';
import { PageHeader } from '../../ui/page/page-header.tsx';

export function NotFoundPage({ path }: { readonly path: string }) {
  return (
    <>
      <PageHeader title="No such page" />
      <EmptyState
        title={`The console has no page ${path}`}
        action={
          <Button component="a" variant="default" {...linkTo('/')}>
            To the overview
          </Button>
        }
      >
        The address may be mistyped, or belong to another version of the console.
      </EmptyState>
    </>
  );
}
