/** Commands about the state of remote schemas. */
import { z } from 'zod';
import { RemoteSchemaName } from '../names.ts';

export const ReloadRemoteSchema = z.strictObject({ name: RemoteSchemaName });
export const IntrospectRemoteSchema = z.strictObject({ name: RemoteSchemaName });

export const GetRemoteSchemaStatus = z
  .strictObject({ name: RemoteSchemaName.optional() })
  .nullish()
  .transform((args) => args ?? {});

export interface RemoteSchemaStatus {
  readonly name: string;
  /** `stale`: the last introspection failed and an earlier one is in use. */
  readonly status: 'current' | 'stale' | 'unavailable';
  /** Time of the last successful introspection, ISO 8601; null where there was none. */
  readonly read_at: string | null;
  readonly problem?: { readonly code: string; readonly message: string };
}

export interface RemoteSchemaStatuses {
  readonly remote_schemas: readonly RemoteSchemaStatus[];
}
