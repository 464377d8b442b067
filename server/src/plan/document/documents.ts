/** Parses and validates documents, and selects the operation of a request. */
import {
  type DocumentNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLObjectType,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  parse,
} from 'graphql';
import { ServiceError } from '../../base/errors.ts';
import type { OperationPlan } from '../plan/operation.ts';
import { validateDocument } from './validation.ts';

/** A document that has passed validation against a schema. */
export interface ValidDocument {
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly operations: readonly OperationDefinitionNode[];
}

/** Maximum number of tokens of a document. Long lists of values belong into variables. */
const MOST_TOKENS = 50_000;

/** Parses and validates `text`. Throws a ServiceError with the path `$.query`, or an InvalidDocument. */
export function readDocument(schema: GraphQLSchema, text: string): ValidDocument {
  const document = parseDocument(text);
  validateDocument(schema, document);
  const fragments = new Map<string, FragmentDefinitionNode>();
  const operations: OperationDefinitionNode[] = [];
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
    if (definition.kind === Kind.OPERATION_DEFINITION) operations.push(definition);
  }
  return { fragments, operations };
}

/** Throws a ServiceError with the path `$.query`. */
export function parseDocument(text: string): DocumentNode {
  try {
    return parse(text, { noLocation: true, maxTokens: MOST_TOKENS });
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    const [place] = error.locations ?? [];
    const where = place === undefined ? '' : ` (line ${place.line}, column ${place.column})`;
    const reason = error.message.replace(/^Syntax Error: /, '').replace(/\.$/, '');
    throw new ServiceError('validation-failed', `not a valid graphql query: ${reason}${where}`, {
      path: '$.query',
      cause: error,
    });
  }
}

/** Returns the operation with the name; without a name, the only operation. */
export function chooseOperation({ operations }: ValidDocument, name: string | undefined): OperationDefinitionNode {
  const [first, second] = operations;
  if (name !== undefined) {
    const found = operations.find((operation) => operation.name?.value === name);
    if (found !== undefined) return found;
    throw new ServiceError('validation-failed', `no such operation found in the document: "${name}"`, {
      path: '$.operationName',
    });
  }
  if (first !== undefined && second === undefined) return first;
  const message =
    first === undefined
      ? 'the document holds no operation; write a query or a mutation'
      : 'exactly one operation has to be present in the document when operationName is not specified';
  throw new ServiceError('validation-failed', message, { path: first === undefined ? '$.query' : '$.operationName' });
}

/** Returns the kind of the operation and its root type. Throws if the schema has no root type for the kind. */
export function rootOf(
  schema: GraphQLSchema,
  { operation }: OperationDefinitionNode,
): { readonly kind: OperationPlan['kind']; readonly root: GraphQLObjectType } {
  const root = schema.getRootType(operation);
  if (root) return { kind: operation, root };
  const plural = { query: 'queries', mutation: 'mutations', subscription: 'subscriptions' }[operation];
  throw new ServiceError('validation-failed', `no ${plural} exist`);
}
