/** Functions as written: tracked functions, which are root fields, and computed fields of tables. */
import { z } from 'zod';
import { FieldName, QualifiedTable, RoleName } from '../names.ts';
import { closedObject, unsupported } from './members.ts';

/** A function name: `"search"` means `{ schema: "public", name: "search" }`. */
export const QualifiedFunction = QualifiedTable;
export type QualifiedFunction = z.infer<typeof QualifiedFunction>;

export const ComputedFieldDefinition = z.strictObject({
  function: QualifiedFunction,
  /** The argument for the row. Default: the first. */
  table_argument: z.string().min(1).nullish(),
  /** The argument for the session variables as JSON. */
  session_argument: z.string().min(1).nullish(),
});

export const ComputedField = z.strictObject({
  name: FieldName,
  definition: ComputedFieldDefinition,
  comment: z.string().nullish(),
});
export type ComputedField = z.infer<typeof ComputedField>;

export const FunctionConfiguration = closedObject({
  /** Undefined: a volatile function is a mutation, any other a query. */
  exposed_as: z.enum(['query', 'mutation']).nullish(),
  session_argument: z.string().min(1).nullish(),
  custom_name: FieldName.nullish(),
  custom_root_fields: z
    .strictObject({ function: FieldName.nullish(), function_aggregate: FieldName.nullish() })
    .nullish(),
  response: unsupported('the database defines what a function returns'),
});
export type FunctionConfiguration = z.infer<typeof FunctionConfiguration>;

export const FunctionPermission = closedObject({ role: RoleName });

export const FunctionEntry = closedObject({
  function: QualifiedFunction,
  configuration: FunctionConfiguration.optional(),
  permissions: z.array(FunctionPermission).optional(),
  comment: z.string().nullish(),
});
export type FunctionEntry = z.infer<typeof FunctionEntry>;
