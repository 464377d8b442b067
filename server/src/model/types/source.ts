/** Resolved sources. Types only. */
import type { SourceName } from '@joinery/metadata/names';
import type { QueryTags } from '@joinery/metadata/schema/sources';
import type { EventTrigger } from './event-trigger.ts';
import type { NamespaceTypes, NamingConvention, SourceNames } from './naming.ts';
import type { Table, TableFunction } from './table.ts';

export interface Source {
  readonly name: SourceName;
  /** The naming convention of arguments, operators and types; undefined: that of Hasura v2. */
  readonly convention?: NamingConvention;
  /** The object that contains its root fields, and its type for each operation. */
  readonly namespace?: {
    readonly name: string;
    readonly types: NamespaceTypes;
  };
  /** Its customization of names; undefined: none. */
  readonly names?: SourceNames;
  /** The comments of its statements; undefined: none. */
  readonly queryTags?: QueryTags;
  /** Whether SQL of the database may read the session variables of mutations. */
  readonly readsSession?: boolean;
  /** By `relationKey(schema, name)`. */
  readonly tables: ReadonlyMap<string, Table>;
  /** Tracked functions, by `relationKey(schema, name)`. */
  readonly functions?: ReadonlyMap<string, TableFunction>;
  /** The rows of native queries, by root field. */
  readonly nativeQueries?: ReadonlyMap<string, Table>;
  /** By name. */
  readonly eventTriggers?: ReadonlyMap<string, EventTrigger>;
}
