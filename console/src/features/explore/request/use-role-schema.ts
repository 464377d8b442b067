/** The schema that a request with the given headers has, and the names for completion. */
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useClient } from '../../../api/context.ts';
import { metadataOf, useMetadata } from '../../../api/metadata.ts';
import { type Headers, readSchemaAs } from '../../../shared/graphql/graphql-api.ts';
import { rolesIn } from './roles.ts';

const TYPING_MS = 500;

/** Refetched when the metadata changes here. `sent` excludes the secret of the sign-in. */
export function useRoleSchema(sent: Headers | undefined, sendsSecret: boolean) {
  const client = useClient();
  const wanted = useMemo(() => (sent === undefined ? undefined : { sent, sendsSecret }), [sent, sendsSecret]);
  const [typed] = useDebouncedValue(wanted, TYPING_MS);
  return useQuery({
    queryKey: ['metadata', 'schema', 'explore', typed],
    queryFn: ({ signal }) => {
      const headers = typed?.sent ?? {};
      return readSchemaAs(
        client,
        typed?.sendsSecret === true ? { ...client.headersOf({}), ...headers } : headers,
        signal,
      );
    },
    enabled: typed !== undefined,
    staleTime: 60_000,
    // The open documentation remains while another schema loads.
    placeholderData: keepPreviousData,
  });
}

/** Returns the roles of the metadata for completion; undefined until the metadata is read. */
export function useRoles(): string[] | undefined {
  const { data, isPending } = useMetadata(metadataOf);
  return useMemo(() => (isPending ? undefined : [...rolesIn(data)]), [data, isPending]);
}
