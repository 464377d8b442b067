/** Renames a relationship in its table and in every row rule that uses it. */
import { z } from 'zod';
import { FieldName } from '../../names.ts';
import { changeFirst, changeTable, sameTable, tableArguments } from '../edit/change.ts';
import { defineCommand } from '../edit/command.ts';
import { rejectTakenName, relationshipKinds, unknownRelationship } from '../tables/relationships.ts';
import { rewriteRules } from './rewrite-rules.ts';

export const renameRelationship = defineCommand({
  name: 'rename_relationship',
  arguments: z.strictObject({ ...tableArguments, name: FieldName, new_name: FieldName }),
  needsContext: true,
  apply: ({ name, new_name, ...target }, metadata, context) => {
    const renaming = {
      relationship: (table: typeof target.table, written: string) =>
        sameTable(table, target.table) && written === name ? new_name : written,
      table: (table: typeof target.table) => table,
      column: (_table: typeof target.table, column: string) => column,
    };
    // Rules first: resolving them needs the old names.
    return changeTable(rewriteRules(metadata, target.source, renaming, context), target, (entry) => {
      rejectTakenName(entry, new_name, '$.new_name');
      for (const kind of relationshipKinds) {
        const changed = changeFirst(
          entry[kind],
          (one) => one.name === name,
          (relationship) => ({ ...relationship, name: new_name }),
        );
        if (changed !== undefined) return { ...entry, [kind]: changed };
      }
      throw unknownRelationship(entry, name, '$.name');
    });
  },
});
