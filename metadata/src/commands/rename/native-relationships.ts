/** Changes relationships of native queries to tables. */
import type { NativeQueryRelationship } from '../../native-queries/schema.ts';
import type { Source } from '../../schema/sources.ts';

type ToTable = Extract<NativeQueryRelationship['using'], { readonly remote_table: unknown }>;

/** Applies `change` to each relationship of the source's native queries whose target is a table. */
export function changeNativeRelationships(source: Source, change: (using: ToTable) => ToTable): Source {
  const { native_queries } = source;
  if (native_queries === undefined) return source;
  const changed = (list: readonly NativeQueryRelationship[]): NativeQueryRelationship[] =>
    list.map((one) => ('remote_table' in one.using ? { ...one, using: change(one.using) } : one));
  return {
    ...source,
    native_queries: native_queries.map(({ object_relationships, array_relationships, ...query }) => ({
      ...query,
      ...(object_relationships && { object_relationships: changed(object_relationships) }),
      ...(array_relationships && { array_relationships: changed(array_relationships) }),
    })),
  };
}
