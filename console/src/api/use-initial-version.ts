/** The resource version of the metadata when a form was opened, for changes that replace what the form shows. */
import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { useClient } from './context.ts';

/** Undefined until loaded. Passed to `command`, it prevents that a form overwrites changes made elsewhere. */
export function useInitialVersion(): number | undefined {
  const client = useClient();
  const form = useId();
  const { data } = useQuery({
    queryKey: ['opened-version', form],
    queryFn: ({ signal }) => client.command('get_resource_version', {}, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  return data?.resource_version;
}
