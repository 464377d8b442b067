/** The live model: metadata x catalog x remote schemas, resolved. Types only; nothing in it is "maybe valid". */

import type { ActionName, RemoteSchemaName, RoleName, SourceName } from '@joinery/metadata/names';
import type { ApiLimits } from '@joinery/metadata/schema/api-limits';
import type { Action, OutputObject } from './types/action.ts';
import type { Inconsistency } from './types/inconsistency.ts';
import type { StoredOperations } from './types/stored-operation.ts';
import type { Join, RemoteSchema, Source } from './types/table.ts';

export interface Model {
  /** `resource_version` of the metadata it was made from. */
  readonly version: number;
  readonly sources: ReadonlyMap<SourceName, Source>;
  readonly actions: ReadonlyMap<ActionName, Action>;
  /** Relationships of output objects, by name. */
  readonly outputJoins: ReadonlyMap<OutputObject, ReadonlyMap<string, Join>>;
  readonly remoteSchemas: ReadonlyMap<RemoteSchemaName, RemoteSchema>;
  /** Every role that some permission names, without `admin`. */
  readonly roles: ReadonlySet<RoleName>;
  /** Operations of the metadata: those with a URL, and those that callers may send. */
  readonly stored: StoredOperations;
  /** What a caller may cost; undefined where no limits are in force. */
  readonly limits: ApiLimits | undefined;
  /** Roles that may not read the schema. */
  readonly unreadable: ReadonlySet<RoleName>;
  /** What was dropped, in order of discovery. */
  readonly inconsistencies: readonly Inconsistency[];
}
