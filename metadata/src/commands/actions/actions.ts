/** Actions: create, replace, drop. */
import { z } from 'zod';
import type { Metadata } from '../../metadata.ts';
import { ActionName } from '../../names.ts';
import { type Action, ActionDefinition, CustomTypes } from '../../schema/actions.ts';
import { changeFirst, commentArgument, withComment, without } from '../edit/change.ts';
import { defineCommand } from '../edit/command.ts';
import { EditError } from '../edit/edit-error.ts';

const ActionArguments = z.strictObject({ name: ActionName, definition: ActionDefinition, comment: commentArgument });

/** Changes one action. Throws EditError `not-exists` at `path`. */
export function changeAction(
  metadata: Metadata,
  name: ActionName,
  path: string,
  change: (action: Action) => Action,
): Metadata {
  const actions = changeFirst(metadata.actions, (one) => one.name === name, change);
  if (actions === undefined) throw unknownAction(name, path);
  return { ...metadata, actions };
}

function unknownAction(name: string, path: string): EditError {
  return new EditError('not-exists', `action with name "${name}" does not exist`, path);
}

export const createAction = defineCommand({
  name: 'create_action',
  arguments: ActionArguments,
  apply: ({ name, definition, comment }, metadata) => {
    const actions = metadata.actions ?? [];
    if (actions.some((one) => one.name === name)) {
      throw new EditError('already-exists', `action with name "${name}" already exists`, '$.name');
    }
    return { ...metadata, actions: [...actions, { name, definition, ...withComment(comment) }] };
  },
});

/** Replaces definition and comment; an absent comment is removed. Permissions stay. */
export const updateAction = defineCommand({
  name: 'update_action',
  arguments: ActionArguments,
  apply: ({ name, definition, comment }, metadata) =>
    changeAction(metadata, name, '$.name', ({ permissions }) => ({
      name,
      definition,
      ...withComment(comment),
      ...(permissions && { permissions }),
    })),
});

export const dropAction = defineCommand({
  name: 'drop_action',
  // `clear_data` deletes the log of asynchronous actions.
  arguments: z.strictObject({ name: ActionName, clear_data: z.boolean().default(true) }),
  apply: ({ name }, metadata) => {
    const actions = without(metadata.actions, (one) => one.name === name);
    if (actions === undefined) throw unknownAction(name, '$.name');
    return { ...metadata, actions };
  },
  clears: ({ name, clear_data }) => (clear_data ? name : undefined),
});

/** Replaces all custom types. */
export const setCustomTypes = defineCommand({
  name: 'set_custom_types',
  arguments: CustomTypes,
  apply: (custom_types, metadata) => ({ ...metadata, custom_types }),
});
