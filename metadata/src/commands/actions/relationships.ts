/** Relationships of output types: create, update, rename and drop, without sending all custom types. */
import { z } from 'zod';
import type { Metadata } from '../../metadata.ts';
import { FieldName, TypeName } from '../../names.ts';
import {
  type ActionRelationship,
  DefinedActionRelationship,
  type ObjectType,
  TableActionRelationship,
} from '../../schema/actions.ts';
import { parseArguments } from '../edit/arguments.ts';
import { changeFirst, without } from '../edit/change.ts';
import { type Command, defineCommand, type Edit } from '../edit/command.ts';
import { EditError } from '../edit/edit-error.ts';

type Target = z.infer<typeof Target>;

/** The type of the arguments; the relationship is parsed separately. */
const Target = z.looseObject({ type_name: TypeName });
const UpdateTarget = z.looseObject({ type_name: TypeName, name: FieldName, new_name: FieldName.optional() });

/** The arguments for the reference; they are parsed in two steps, for errors of the form that was used. */
const Relationship = z.union([TableActionRelationship, DefinedActionRelationship]);

type RelationshipInput = z.input<typeof DefinedActionRelationship> | z.input<typeof TableActionRelationship>;

/** `{ type_name, name, type, source?, remote_table, field_mapping }` or `{ type_name, name, definition }`. */
export const createActionRelationship: Command<
  'create_action_relationship',
  { readonly type_name: string } & RelationshipInput
> = {
  name: 'create_action_relationship',
  arguments: z.intersection(z.object({ type_name: TypeName }), Relationship),
  parse: (args) => {
    const { type_name, ...rest } = parseArguments(Target, args);
    const relationship = parseRelationship(rest);
    return edit((metadata) =>
      changeObjectType(metadata, type_name, (type) => {
        rejectTaken(type, relationship.name, '$.name');
        return { ...type, relationships: [...(type.relationships ?? []), relationship] };
      }),
    );
  },
};

/** As `create`, with `new_name` for a rename. With names only, the relationship is renamed and otherwise unchanged. */
export const updateActionRelationship: Command<
  'update_action_relationship',
  { readonly type_name: string; readonly new_name?: string | undefined } & (
    | { readonly name: string }
    | RelationshipInput
  )
> = {
  name: 'update_action_relationship',
  arguments: z.intersection(z.object(UpdateTarget.shape), z.union([z.object({}), Relationship])),
  parse: (args) => {
    const { type_name, name, new_name = name, ...rest } = parseArguments(UpdateTarget, args);
    const replaced =
      Object.keys(rest).length === 0 && new_name !== name ? undefined : parseRelationship({ name, ...rest });
    return edit((metadata) =>
      changeObjectType(metadata, type_name, (type) => {
        if (new_name !== name) rejectTaken(type, new_name, '$.new_name');
        const relationships = changeFirst(
          type.relationships ?? undefined,
          (one) => one.name === name,
          (one) => ({ ...(replaced ?? one), name: new_name }),
        );
        if (relationships === undefined) throw unknownRelationship(type_name, name);
        return { ...type, relationships };
      }),
    );
  },
};

export const dropActionRelationship = defineCommand({
  name: 'drop_action_relationship',
  arguments: z.strictObject({ type_name: TypeName, name: FieldName }),
  apply: ({ type_name, name }, metadata) =>
    changeObjectType(metadata, type_name, (type) => {
      const relationships = without(type.relationships ?? undefined, (one) => one.name === name);
      if (relationships === undefined) throw unknownRelationship(type_name, name);
      return { ...type, relationships };
    }),
});

function parseRelationship(args: object): ActionRelationship {
  return parseArguments<ActionRelationship>(
    'definition' in args ? DefinedActionRelationship : TableActionRelationship,
    args,
  );
}

function edit(apply: Edit['apply']): Edit {
  return { apply, rereads: [], dependents: 'none', needsContext: false };
}

function changeObjectType(
  metadata: Metadata,
  name: Target['type_name'],
  change: (type: ObjectType) => ObjectType,
): Metadata {
  const { custom_types } = metadata;
  const objects = changeFirst(custom_types?.objects, (one) => one.name === name, change);
  if (custom_types === undefined || objects === undefined) {
    throw new EditError('not-exists', `object type "${name}" does not exist among the custom types`, '$.type_name');
  }
  return { ...metadata, custom_types: { ...custom_types, objects } };
}

function rejectTaken(type: ObjectType, name: string, path: string): void {
  if (!type.relationships?.some((one) => one.name === name)) return;
  const message = `a relationship with name "${name}" already exists on object type "${type.name}"`;
  throw new EditError('already-exists', message, path);
}

function unknownRelationship(type: string, name: string): EditError {
  return new EditError('not-exists', `relationship "${name}" does not exist on object type "${type}"`, '$.name');
}
