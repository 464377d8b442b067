import type { IntrospectionQuery } from 'graphql';

/** The response of `introspect_remote_schema`, in the names of the remote schema. */
export interface RemoteSchemaIntrospection {
  readonly data: IntrospectionQuery;
}
