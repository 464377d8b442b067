/** `get_action_relationship_keys`: the fields and columns that a relationship of an output type can map. */
import { z } from 'zod';
import { tableArguments } from '../commands/edit/change.ts';
import { TypeName } from '../names.ts';

export const GetActionRelationshipKeys = z.strictObject({ type_name: TypeName, ...tableArguments });

/** A field of an output type with the columns of the table. A column with a `problem` cannot be mapped to the field. */
export interface RelationshipKey {
  readonly field: string;
  /** GraphQL type of the field. */
  readonly type: string;
  readonly columns: readonly { readonly column: string; readonly type: string; readonly problem?: string }[];
}

export interface ActionRelationshipKeys {
  readonly fields: readonly RelationshipKey[];
}
