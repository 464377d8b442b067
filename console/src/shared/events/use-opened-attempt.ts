/** The attempt that is open, by the query parameter `attempt`, so that each attempt has an address. */
import { useEffect } from 'react';
import { pathWith, updateSearch, useLocation } from '../../router/location.ts';

/** Attempts that are read at first, the newest ones. */
export const SHOWN_CALLS = 50;
/** Attempts that are read at most. */
export const MOST_CALLS = 1_000;

/** Returns the properties of the list of attempts. Earlier attempts are read where the address has one of them. */
export function useOpenedAttempt(calls: readonly { readonly id: string }[], onMore: (() => void) | undefined) {
  const { search } = useLocation();
  const opened = search.get('attempt') ?? undefined;
  const isMissing = opened !== undefined && !calls.some(({ id }) => id === opened);
  useEffect(() => {
    if (isMissing) onMore?.();
  }, [isMissing, onMore]);
  return {
    opened,
    onOpen: (id: string): void => updateSearch({ attempt: id === '' ? undefined : id }),
    pathOf: (id: string): string => pathWith({ attempt: id }),
  };
}
