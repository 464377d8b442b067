/** A column for tests: nullable, without default, of the given type. */
import type { ColumnInfo } from '@joinery/metadata/api/sources/catalog';

export function sampleColumn(name: string, type: string, more: Partial<ColumnInfo> = {}): ColumnInfo {
  return {
    name,
    type,
    sql_type: type,
    nullable: true,
    has_default: false,
    default: null,
    generated: false,
    identity: null,
    writable: true,
    comment: null,
    ...more,
  };
}
