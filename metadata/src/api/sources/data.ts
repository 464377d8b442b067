/** Commands that read and write rows. */
import { z } from 'zod';
import { tableArguments } from '../../commands/edit/change.ts';

const Row = z.record(z.string(), z.unknown());
const columns = z.array(z.unknown());
const page = {
  where: Row.optional(),
  order_by: z.unknown().optional(),
  limit: z.int().nullish(),
  offset: z.int().nullish(),
};

export const SelectRows = z.strictObject({ ...tableArguments, ...page, columns });
export const CountRows = z.strictObject({ ...tableArguments, ...page, distinct: z.array(z.string()).nullish() });
export const InsertRows = z.strictObject({
  ...tableArguments,
  objects: z.array(Row),
  returning: columns.nullish(),
  on_conflict: z
    .strictObject({
      action: z.enum(['ignore', 'update']),
      constraint: z.string().nullish(),
      constraint_on: z.union([z.string(), z.array(z.string()).min(1)]).nullish(),
      /** All given columns unless given. */
      update_columns: z.array(z.string()).optional(),
    })
    .nullish(),
});
export type InsertRows = z.infer<typeof InsertRows>;
/** The number of rows that a command must change. With another number it changes none and fails with `conflict`. */
const expected_rows = z.int().min(0).nullish();
export const UpdateRows = z.strictObject({
  ...tableArguments,
  where: Row,
  expected_rows,
  $set: Row.nullish(),
  /** Another name of `$set`. */
  values: Row.nullish(),
  $inc: Row.nullish(),
  $mul: Row.nullish(),
  $default: z.array(z.string()).nullish(),
  returning: columns.nullish(),
});
export const DeleteRows = z.strictObject({
  ...tableArguments,
  where: Row,
  expected_rows,
  returning: columns.nullish(),
});

/** A row with the selected columns and relationships. */
export type SelectedRow = Readonly<Record<string, unknown>>;
export type SelectedRows = readonly SelectedRow[];

export interface CountedRows {
  readonly count: number;
}

export interface WrittenRows {
  readonly affected_rows: number;
  /** Present with the argument `returning`. */
  readonly returning?: SelectedRows;
}
