/** The root fields of a table, in the names of the metadata. */

export const rootNames = [
  'select',
  'select_by_pk',
  'select_aggregate',
  'select_stream',
  'insert',
  'insert_one',
  'update',
  'update_by_pk',
  'update_many',
  'delete',
  'delete_by_pk',
] as const;
export type RootName = (typeof rootNames)[number];
