/** The variables and the response of a stored operation, for the description of its endpoint. */
import { isInputType, parseType, typeFromAST } from 'graphql';
import type { RoleSchema } from '../../schema/role-schema.ts';
import { readDocument, rootOf } from './documents.ts';
import type { JsonSchema, SchemaWriter } from './json-schema.ts';
import { type StoredVariable, storedVariables } from './stored.ts';

export interface StoredShape {
  readonly kind: 'query' | 'mutation' | 'subscription';
  readonly operationName: string | undefined;
  readonly variables: readonly (StoredVariable & { readonly schema: JsonSchema })[];
  /** The schema of `data`. */
  readonly response: JsonSchema;
}

/** Returns undefined if the operation is not valid for the role. */
export function storedShape(roleSchema: RoleSchema, text: string, writer: SchemaWriter): StoredShape | undefined {
  const { schema } = roleSchema;
  try {
    const document = readDocument(schema, text);
    const [operation] = document.operations;
    if (operation === undefined) return undefined;
    const { kind, root } = rootOf(schema, operation);
    const variables = storedVariables(roleSchema, text).flatMap((variable) => {
      const type = typeFromAST(schema, parseType(variable.type));
      return isInputType(type) ? [{ ...variable, schema: writer.input(type) }] : [];
    });
    const operationName = operation.name?.value;
    return { kind, operationName, variables, response: writer.response(root, operation.selectionSet, document) };
  } catch {
    return undefined;
  }
}
