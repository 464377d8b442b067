/** Tables whose rows are the values of an enum. */
import { z } from 'zod';
import { changeTable, tableArguments } from '../edit/change.ts';
import { defineCommand } from '../edit/command.ts';

export const setTableIsEnum = defineCommand({
  name: 'set_table_is_enum',
  arguments: z.strictObject({ ...tableArguments, is_enum: z.boolean() }),
  apply: ({ is_enum, ...target }, metadata) =>
    changeTable(metadata, target, ({ is_enum: _before, ...entry }) => (is_enum ? { ...entry, is_enum } : entry)),
  rereads: ({ source }) => [{ kind: 'catalog', source }],
});
