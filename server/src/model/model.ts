/** The model: metadata resolved against the catalogs and remote schemas. Contains valid objects only. Types only. */

import type { ActionName, RemoteSchemaName, RoleName, SourceName } from '@joinery/metadata/names';
import type { ApiLimits } from '@joinery/metadata/schema/api-limits';
import type { TraceSettings } from '../base/telemetry/trace.ts';
import type { Action, OutputObject } from './types/action.ts';
import type { Inconsistency } from './types/inconsistency.ts';
import type { Source } from './types/source.ts';
import type { StoredOperations } from './types/stored-operation.ts';
import type { Join, RemoteSchema } from './types/table.ts';

export interface Model {
  /** The `resource_version` of the metadata. */
  readonly version: number;
  readonly sources: ReadonlyMap<SourceName, Source>;
  readonly actions: ReadonlyMap<ActionName, Action>;
  /** Relationships of output objects, by name. */
  readonly outputJoins: ReadonlyMap<OutputObject, ReadonlyMap<string, Join>>;
  readonly remoteSchemas: ReadonlyMap<RemoteSchemaName, RemoteSchema>;
  /** All roles that a permission names, without `admin`. */
  readonly roles: ReadonlySet<RoleName>;
  /** REST endpoints and the allow list. */
  readonly stored: StoredOperations;
  /** The API limits; undefined if they are disabled. */
  readonly limits: ApiLimits | undefined;
  /** Roles whose introspection is disabled. */
  readonly unreadable: ReadonlySet<RoleName>;
  /** Whether the schema is for data commands, which can do what GraphQL requests cannot. */
  readonly forDataCommands?: true;
  /** Whether relationships that may yield null are nullable where Hasura v2 declares them non-null. */
  readonly strictNullability: boolean;
  /** Whether the schema has the root fields of Apollo Federation. */
  readonly apolloFederation: boolean;
  /** The export of traces; undefined if the metadata does not enable it. */
  readonly traces: TraceSettings | undefined;
  /** In order of discovery. */
  readonly inconsistencies: readonly Inconsistency[];
}
