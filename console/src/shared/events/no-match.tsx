/** The empty state of a list of events whose search matches nothing. */
import { Button } from '@mantine/core';
import { updateSearch } from '../../router/location.ts';
import { EmptyState } from '../../ui/feedback/empty-state.tsx';

/** `nothing`: the query parameters without search. */
export function NoMatch({ nothing }: { readonly nothing: Readonly<Record<string, undefined>> }) {
  return (
    <EmptyState
      title="No event matches the search"
      action={
        <Button variant="default" mt="xs" onClick={() => updateSearch({ ...nothing, page: undefined })}>
          Clear the search
        </Button>
      }
    >
      Events in other tabs may.
    </EmptyState>
  );
}
