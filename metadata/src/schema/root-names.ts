/** The root fields that a table may have, as the metadata names them. */

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
