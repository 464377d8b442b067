/** Object and array relationships between the tables of a source: create, drop, comment. */
import { z } from 'zod';
import { FieldName } from '../../names.ts';
import { RelationshipUsing } from '../../schema/relationships.ts';
import type { TableEntry } from '../../schema/tables.ts';
import {
  changeFirst,
  changeTable,
  commentArgument,
  tableArguments,
  tableLabel,
  withComment,
  without,
} from '../edit/change.ts';
import { defineCommand } from '../edit/command.ts';
import { EditError } from '../edit/edit-error.ts';

export const relationshipKinds = ['object_relationships', 'array_relationships'] as const;

const CreateArguments = z.strictObject({
  ...tableArguments,
  name: FieldName,
  using: RelationshipUsing,
  comment: commentArgument,
});

/** Throws EditError `already-exists` where a relationship of any kind or a computed field has the name. Columns are not checked here. */
export function rejectTakenName(entry: TableEntry, name: string, path = '$.name'): void {
  const kinds = [...relationshipKinds, 'remote_relationships'] as const;
  if (kinds.some((kind) => entry[kind]?.some((one) => one.name === name))) {
    const message = `a relationship with name "${name}" already exists on table ${tableLabel(entry.table)}`;
    throw new EditError('already-exists', message, path);
  }
  if (entry.computed_fields?.some((one) => one.name === name)) {
    const message = `computed field "${name}" already exists on table ${tableLabel(entry.table)}`;
    throw new EditError('already-exists', message, path);
  }
}

export function unknownRelationship(entry: TableEntry, name: string, path: string): EditError {
  const message = `relationship "${name}" does not exist on table ${tableLabel(entry.table)}`;
  return new EditError('not-exists', message, path);
}

const fieldKinds = {
  object_relationships: 'an object relationship',
  array_relationships: 'an array relationship',
  remote_relationships: 'a remote relationship',
  computed_fields: 'a computed field',
} as const;

/** Throws EditError `unexpected-payload` for a field of one of the other `kinds`. */
export function rejectOtherField(
  entry: TableEntry,
  name: string,
  kinds: readonly (keyof typeof fieldKinds)[],
  path: string,
): void {
  const found = kinds.find((kind) => entry[kind]?.some((one) => one.name === name));
  if (found === undefined) return;
  const message = `"${name}" on table ${tableLabel(entry.table)} is ${fieldKinds[found]}; use the command for it`;
  throw new EditError('unexpected-payload', message, path);
}

function createRelationship<Name extends string>(name: Name, kind: (typeof relationshipKinds)[number]) {
  return defineCommand({
    name,
    arguments: CreateArguments,
    apply: (args, metadata) =>
      changeTable(metadata, args, (entry) => {
        rejectTakenName(entry, args.name);
        const relationship = { name: args.name, using: args.using, ...withComment(args.comment) };
        return { ...entry, [kind]: [...(entry[kind] ?? []), relationship] };
      }),
  });
}

export const createObjectRelationship = createRelationship('create_object_relationship', 'object_relationships');
export const createArrayRelationship = createRelationship('create_array_relationship', 'array_relationships');

export const dropRelationship = defineCommand({
  name: 'drop_relationship',
  arguments: z.strictObject({ ...tableArguments, relationship: FieldName, cascade: z.boolean().default(false) }),
  apply: (args, metadata) =>
    changeTable(metadata, args, (entry) => {
      for (const kind of relationshipKinds) {
        const rest = without(entry[kind], (one) => one.name === args.relationship);
        if (rest !== undefined) return { ...entry, [kind]: rest };
      }
      rejectOtherField(entry, args.relationship, ['remote_relationships', 'computed_fields'], '$.relationship');
      throw unknownRelationship(entry, args.relationship, '$.relationship');
    }),
  dependents: (args) => (args.cascade ? 'drop' : 'reject'),
});

export const setRelationshipComment = defineCommand({
  name: 'set_relationship_comment',
  arguments: z
    .strictObject({
      ...tableArguments,
      relationship: FieldName.optional(),
      /** Another name of `relationship`, from the documentation of Hasura v2. */
      name: FieldName.optional(),
      comment: commentArgument,
    })
    .transform(({ relationship, name, ...others }, context) => {
      if (name !== undefined) return { ...others, name, path: '$.name' };
      if (relationship !== undefined) return { ...others, name: relationship, path: '$.relationship' };
      context.issues.push({
        code: 'custom',
        path: ['relationship'],
        message: 'missing argument "relationship"',
        input: name,
      });
      return z.NEVER;
    }),
  apply: (args, metadata) =>
    changeTable(metadata, args, (entry) => {
      for (const kind of relationshipKinds) {
        const changed = changeFirst(
          entry[kind],
          (one) => one.name === args.name,
          ({ name, using }) => ({ name, using, ...withComment(args.comment) }),
        );
        if (changed !== undefined) return { ...entry, [kind]: changed };
      }
      throw unknownRelationship(entry, args.name, args.path);
    }),
});
