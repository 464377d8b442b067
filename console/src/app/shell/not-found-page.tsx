/** The page for unknown paths. */
import { Button } from '@mantine/core';
import { linkTo } from '../../router/location.ts';
import { EmptyState } from '../../ui/feedback/empty-state.tsx';
import { PageHeader } from '../../ui/page/page-header.tsx';

export function NotFoundPage({ path }: { readonly path: string }) {
  return (
    <>
      <PageHeader title="Page not found" />
      <EmptyState
        title={`The console has no page ${path}`}
        action={
          <Button component="a" variant="default" {...linkTo('/')}>
            Open the overview
          </Button>
        }
      >
        Check the address. It may belong to another version of the console.
      </EmptyState>
    </>
  );
}
