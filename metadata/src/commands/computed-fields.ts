/** Fields of a table that a function computes: add and drop. */
import { z } from 'zod';
import { ComputedFieldDefinition } from '../functions.ts';
import { FieldName } from '../names.ts';
import { changeTable, commentArgument, tableArguments, tableLabel, withComment, without } from './change.ts';
import { defineCommand } from './command.ts';
import { EditError } from './edit-error.ts';
import { refuseTakenName } from './relationships.ts';

export const addComputedField = defineCommand({
  name: 'add_computed_field',
  arguments: z.strictObject({
    ...tableArguments,
    name: FieldName,
    definition: ComputedFieldDefinition,
    comment: commentArgument,
  }),
  apply: ({ name, definition, comment, ...target }, metadata) =>
    changeTable(metadata, target, (entry) => {
      refuseTakenName(entry, name);
      const defined = entry.computed_fields ?? [];
      if (defined.some((one) => one.name === name)) {
        const message = `computed field "${name}" already exists on table ${tableLabel(target.table)}`;
        throw new EditError('already-exists', message, '$.name');
      }
      return { ...entry, computed_fields: [...defined, { name, definition, ...withComment(comment) }] };
    }),
  rereads: ({ source }) => [{ kind: 'catalog', source }],
});

export const dropComputedField = defineCommand({
  name: 'drop_computed_field',
  arguments: z.strictObject({ ...tableArguments, name: FieldName, cascade: z.boolean().default(false) }),
  apply: ({ name, source, table }, metadata) =>
    changeTable(metadata, { source, table }, (entry) => {
      const rest = without(entry.computed_fields, (one) => one.name === name);
      if (rest === undefined) throw new EditError('not-exists', `computed field "${name}" does not exist`, '$.name');
      return { ...entry, computed_fields: rest };
    }),
  dependents: ({ cascade }) => (cascade ? 'drop' : 'refuse'),
});
