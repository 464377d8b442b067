/** The schema of admin, also as an editor language. */
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Client } from '../../api/client.ts';
import { useClient } from '../../api/context.ts';
import { readSchema } from './graphql-api.ts';

export function adminSchemaQuery(client: Client) {
  return queryOptions({
    queryKey: ['metadata', 'schema', 'admin'],
    queryFn: ({ signal }) => readSchema(client, {}, signal),
    staleTime: 60_000,
  });
}

export function useAdminSchema() {
  const client = useClient();
  const schema = useQuery(adminSchemaQuery(client));
  const language = useMemo(() => ({ schema: schema.data }), [schema.data]);
  return { schema, language };
}
