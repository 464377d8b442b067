/** Computed fields: add and drop. */
import { z } from 'zod';
import type { Metadata } from '../../metadata.ts';
import { FieldName } from '../../names.ts';
import { ComputedFieldDefinition } from '../../schema/functions.ts';
import type { TableEntry } from '../../schema/tables.ts';
import {
  changeTable,
  commentArgument,
  findTable,
  type TableTarget,
  tableArguments,
  tableLabel,
  withComment,
  without,
} from '../edit/change.ts';
import { defineCommand } from '../edit/command.ts';
import { EditError } from '../edit/edit-error.ts';
import { rejectTakenName } from './relationships.ts';

/** As `changeTable`, with the error messages of Hasura v2 for these commands. */
function changeFields(metadata: Metadata, target: TableTarget, change: (entry: TableEntry) => TableEntry): Metadata {
  const known = metadata.sources.some(({ name }) => name === target.source);
  if (known && findTable(metadata, target) === undefined) {
    const message = `table ${tableLabel(target.table)} does not exist in source: ${target.source}`;
    throw new EditError('not-exists', message, '$.table');
  }
  return changeTable(metadata, target, change);
}

export const addComputedField = defineCommand({
  name: 'add_computed_field',
  arguments: z.strictObject({
    ...tableArguments,
    name: FieldName,
    definition: ComputedFieldDefinition,
    comment: commentArgument,
  }),
  apply: ({ name, definition, comment, ...target }, metadata) =>
    changeFields(metadata, target, (entry) => {
      rejectTakenName(entry, name);
      return {
        ...entry,
        computed_fields: [...(entry.computed_fields ?? []), { name, definition, ...withComment(comment) }],
      };
    }),
  rereads: ({ source }) => [{ kind: 'catalog', source }],
});

export const dropComputedField = defineCommand({
  name: 'drop_computed_field',
  arguments: z.strictObject({ ...tableArguments, name: FieldName, cascade: z.boolean().default(false) }),
  apply: ({ name, source, table }, metadata) =>
    changeFields(metadata, { source, table }, (entry) => {
      const rest = without(entry.computed_fields, (one) => one.name === name);
      if (rest === undefined) throw new EditError('not-exists', `computed field "${name}" does not exist`, '$.name');
      return { ...entry, computed_fields: rest };
    }),
  dependents: ({ cascade }) => (cascade ? 'drop' : 'reject'),
});
