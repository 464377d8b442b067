/** `actions.yaml`: what `actions.graphql` cannot express of actions and of their types. */
import { z } from 'zod';
import { Action, ActionDefinitionMembers, ActionRelationship } from '../schema/actions.ts';
import { ignored } from '../schema/members.ts';

const inSdl = ignored('actions.graphql defines it');

/** A definition without the signature, which older tools repeat here. */
const Definition = ActionDefinitionMembers.extend({
  /** Null and the empty string, which the CLI of Hasura v2 writes, are the default. */
  kind: z.enum(['synchronous', 'asynchronous', '']).nullish(),
  type: inSdl,
  arguments: inSdl,
  output_type: inSdl,
});

function typeWith<Name extends string>(...members: readonly Name[]) {
  const shape = Object.fromEntries(members.map((name) => [name, inSdl])) as Record<Name, typeof inSdl>;
  return z.strictObject({ name: z.string().min(1), description: inSdl, ...shape });
}

/** The members of custom types that the file may have beside those of the SDL. */
const CustomTypesOfFile = z.strictObject({
  scalars: z.array(typeWith()).nullish(),
  enums: z.array(typeWith('values')).nullish(),
  input_objects: z.array(typeWith('fields')).nullish(),
  objects: z
    .array(typeWith('fields', 'implements').extend({ relationships: z.array(ActionRelationship).nullish() }))
    .nullish(),
  interfaces: z.array(typeWith('fields')).nullish(),
  unions: z.array(typeWith('types')).nullish(),
});

export const ActionsFile = z.strictObject({
  actions: z.array(Action.extend({ definition: Definition })).nullish(),
  custom_types: CustomTypesOfFile.nullish(),
});
