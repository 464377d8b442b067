/** Remote relationships of tables, in both forms. Exports keep the form that was used. */
import { z } from 'zod';
import { FieldName, QualifiedTable } from '../../names.ts';
import { RemoteRelationship } from '../../schema/relationships.ts';
import { parseArguments } from '../edit/arguments.ts';
import { changeFirst, changeTable, sourceArgument, type TableTarget, tableArguments, without } from '../edit/change.ts';
import { type Command, defineCommand, type Edit } from '../edit/command.ts';
import { rejectOtherField, rejectTakenName, unknownRelationship } from '../tables/relationships.ts';

/** The table of the arguments; the relationship is parsed separately. */
const Target = z.looseObject({ source: sourceArgument, table: QualifiedTable });

/** The arguments for the reference; they are parsed in two steps. */
const Arguments = z.intersection(z.object(Target.shape), RemoteRelationship);

type RelationshipInput = Pick<z.input<typeof Target>, 'source' | 'table'> & z.input<typeof RemoteRelationship>;

function parseTarget(args: unknown): { target: TableTarget; relationship: RemoteRelationship } {
  const { source, table, ...rest } = parseArguments(Target, args);
  return { target: { source, table }, relationship: parseArguments(RemoteRelationship, rest) };
}

function edit(apply: Edit['apply']): Edit {
  return { apply, rereads: [], dependents: 'none', needsContext: false };
}

export const createRemoteRelationship: Command<'create_remote_relationship', RelationshipInput> = {
  name: 'create_remote_relationship',
  arguments: Arguments,
  parse: (args) => {
    const { target, relationship } = parseTarget(args);
    return edit((metadata) =>
      changeTable(metadata, target, (entry) => {
        rejectTakenName(entry, relationship.name);
        return { ...entry, remote_relationships: [...(entry.remote_relationships ?? []), relationship] };
      }),
    );
  },
};

export const updateRemoteRelationship: Command<'update_remote_relationship', RelationshipInput> = {
  name: 'update_remote_relationship',
  arguments: Arguments,
  parse: (args) => {
    const { target, relationship } = parseTarget(args);
    return edit((metadata) =>
      changeTable(metadata, target, (entry) => {
        const remote_relationships = changeFirst(
          entry.remote_relationships,
          (one) => one.name === relationship.name,
          () => relationship,
        );
        if (remote_relationships === undefined) throw unknownRelationship(entry, relationship.name, '$.name');
        return { ...entry, remote_relationships };
      }),
    );
  },
};

export const deleteRemoteRelationship = defineCommand({
  name: 'delete_remote_relationship',
  arguments: z.strictObject({ ...tableArguments, name: FieldName }),
  apply: ({ name, ...target }, metadata) =>
    changeTable(metadata, target, (entry) => {
      const remote_relationships = without(entry.remote_relationships, (one) => one.name === name);
      if (remote_relationships !== undefined) return { ...entry, remote_relationships };
      rejectOtherField(entry, name, ['object_relationships', 'array_relationships', 'computed_fields'], '$.name');
      throw unknownRelationship(entry, name, '$.name');
    }),
});
