/** For addresses that no page has. */
import { Button } from '@mantine/core';
import { linkTo } from '../router/place.ts';
import { Empty } from '../show/empty.tsx';
import { PageHeader } from '../show/page-header.tsx';

export function NotFoundPage({ path }: { readonly path: string }) {
  return (
    <>
      <PageHeader title="No such page" />
      <Empty
        title={`The console has no page ${path}`}
        action={
          <Button component="a" variant="default" {...linkTo('/')}>
            To the overview
          </Button>
        }
      >
        The address may be mistyped, or belong to another version of the console.
      </Empty>
    </>
  );
}
