/** GraphQL documents for remote schemas. */
import { Kind, type OperationTypeNode, print, type VariableDefinitionNode } from 'graphql';
import { printJson } from '../../base/json-value.ts';
import type { JoinPlan } from '../../plan/plan/query.ts';
import type { RemoteFieldPlan } from '../../plan/plan/remote.ts';

export interface RemoteDocument {
  readonly query: string;
  /** The JSON text of `query`. */
  readonly text: string;
  /** The declared variables that have a value. */
  readonly variables: Variables;
  /** The name of the operation in the document; undefined if it has none. */
  readonly operationName?: string | undefined;
}

export type Variables = Readonly<Record<string, unknown>>;

interface RootField {
  readonly alias: string;
  readonly plan: RemoteFieldPlan<JoinPlan>;
}

/** The part of a document that all requests of a plan share. */
interface PreparedDocument extends Pick<RemoteDocument, 'query' | 'text' | 'operationName'> {
  /** The names of the declared variables. */
  readonly names: readonly string[];
}

/** By the fields of a plan. */
const prepared = new WeakMap<readonly RootField[], PreparedDocument>();

/** Returns one operation with all `fields`, each under its alias, and with the name of the client's operation. */
export function rootDocument(
  fields: readonly RootField[],
  variables: Variables,
  operationName?: string,
): RemoteDocument {
  let document = prepared.get(fields);
  if (document === undefined || document.operationName !== operationName) {
    document = prepareRoot(fields, operationName);
    prepared.set(fields, document);
  }
  const { query, text, names } = document;
  return { query, text, variables: valuesOf(names, variables), operationName };
}

function prepareRoot(fields: readonly RootField[], operationName: string | undefined): PreparedDocument {
  const definitions = new Map<string, VariableDefinitionNode>();
  for (const { plan } of fields) {
    for (const definition of plan.variables) definitions.set(definition.variable.name.value, definition);
  }
  const query = print({
    kind: Kind.OPERATION_DEFINITION,
    operation: (fields[0]?.plan.operation ?? 'query') as OperationTypeNode,
    ...(operationName !== undefined && { name: { kind: Kind.NAME, value: operationName } }),
    variableDefinitions: [...definitions.values()],
    selectionSet: {
      kind: Kind.SELECTION_SET,
      selections: fields.map(({ alias, plan }) => ({
        kind: Kind.FIELD,
        ...(alias !== plan.field && { alias: { kind: Kind.NAME, value: alias } }),
        name: { kind: Kind.NAME, value: plan.field },
        arguments: plan.arguments,
        ...(plan.selection && { selectionSet: plan.selection }),
      })),
    },
  });
  return { query, text: printJson(query), names: [...definitions.keys()], operationName };
}

const noValues: Variables = {};

/** Returns the variables with a value. */
export function valuesOf(names: readonly string[], variables: Variables): Variables {
  if (names.length === 0) return noValues;
  const given = names.filter((name) => Object.hasOwn(variables, name) && variables[name] !== undefined);
  return Object.fromEntries(given.map((name) => [name, variables[name]]));
}

/** Returns the body of the request. */
export function bodyOf({ text, variables, operationName }: RemoteDocument): string {
  let body = `{"query":${text}`;
  if (Object.keys(variables).length > 0) body += `,"variables":${printJson(variables)}`;
  if (operationName !== undefined) body += `,"operationName":${printJson(operationName)}`;
  return `${body}}`;
}
