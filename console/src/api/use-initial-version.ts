/** The version of the metadata that a form was opened on, for changes that replace what the form shows. */
import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { useClient } from './context.ts';

/**
 * Undefined until it is known. Handed on to `command`, it keeps a form from undoing what somebody else has changed since;
 * reading everything again, as the banner offers, takes the newer version.
 */
export function useInitialVersion(): number | undefined {
  const client = useClient();
  const form = useId();
  const { data } = useQuery({
    queryKey: ['opened-version', form],
    queryFn: ({ signal }) => client.command<{ resource_version: number }>('get_resource_version', {}, signal),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  return data?.resource_version;
}
