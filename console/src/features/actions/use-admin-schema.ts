/** The schema of admin as an editor language. */
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useClient } from '../../api/context.ts';
import { readSchema } from '../../shared/graphql/graphql-api.ts';

export function useAdminSchema() {
  const client = useClient();
  const schema = useQuery({
    queryKey: ['metadata', 'schema', 'admin'],
    queryFn: ({ signal }) => readSchema(client, {}, signal),
    staleTime: 60_000,
  });
  const language = useMemo(() => ({ schema: schema.data }), [schema.data]);
  return { schema, language };
}
