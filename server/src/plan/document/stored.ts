/** Properties of stored operations: their errors for a schema, their variables, and a canonical form of their text. */
import {
  type DocumentNode,
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isInputType,
  isListType,
  isNonNullType,
  Kind,
  print,
  stripIgnoredCharacters,
  typeFromAST,
  visit,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import { ServiceError, toServiceError } from '../../base/errors.ts';
import type { RoleSchema } from '../../schema/role-schema.ts';
import { parseDocument, readDocument } from './documents.ts';
import { InvalidDocument } from './validation.ts';

/** Returns all validation errors of `text` for the schema; empty if it is valid. */
export function problemsOf({ schema }: RoleSchema, text: string): readonly string[] {
  try {
    readDocument(schema, text);
    return [];
  } catch (thrown) {
    const errors = thrown instanceof InvalidDocument ? thrown.errors : [toServiceError(thrown)];
    return errors.map(({ path, message }) => `${path}: ${message}`);
  }
}

/** Whether the document `text` holds an operation of this kind; false if it cannot be parsed. */
export function holdsOperation(text: string, kind: 'mutation' | 'subscription'): boolean {
  const isOfKind = (definition: DocumentNode['definitions'][number]): boolean =>
    definition.kind === Kind.OPERATION_DEFINITION && definition.operation === kind;
  return documentOf(text)?.definitions.some(isOfKind) ?? false;
}

/** The conversion of a URL parameter to a value of the variable. */
export type VariableForm = 'text' | 'number' | 'boolean' | 'json';

export interface StoredVariable {
  readonly name: string;
  /** The GraphQL type, such as `[uuid!]!`. */
  readonly type: string;
  readonly required: boolean;
  readonly list: boolean;
  /** The form of the value, or of the items of the list. */
  readonly form: VariableForm;
}

const forms: Readonly<Record<string, VariableForm>> = {
  Int: 'number',
  Float: 'number',
  Boolean: 'boolean',
  json: 'json',
  jsonb: 'json',
  geometry: 'json',
  geography: 'json',
};

/** Returns the variables declared by the first operation of `text` whose types exist in the schema of the role. */
export function storedVariables({ schema }: RoleSchema, text: string): readonly StoredVariable[] {
  const operation = documentOf(text)?.definitions.find((one) => one.kind === Kind.OPERATION_DEFINITION);
  return (operation?.variableDefinitions ?? []).flatMap((definition): StoredVariable[] => {
    const type = typeFromAST(schema, definition.type);
    if (!isInputType(type)) return [];
    const name = definition.variable.name.value;
    const required = isNonNullType(type) && definition.defaultValue === undefined;
    return [{ name, type: String(type), required, list: isListType(getNullableType(type)), form: formOf(type) }];
  });
}

function formOf(type: GraphQLInputType): VariableForm {
  const named = getNamedType(type);
  return isInputObjectType(named) ? 'json' : (forms[named.name] ?? 'text');
}

/** Characters of the texts in each cache. */
const LIMITS = { max: 1_000, maxSize: 2_000_000 };

/** A document is undefined for a text that cannot be parsed. */
const documents = new LRUCache<string, { readonly document: DocumentNode | undefined }>(LIMITS);
const canonical = new LRUCache<string, string>(LIMITS);

function documentOf(text: string): DocumentNode | undefined {
  const known = documents.get(text);
  if (known !== undefined) return known.document;
  const document = parsedIfValid(text);
  documents.set(text, { document }, { size: text.length + 1 });
  return document;
}

function parsedIfValid(text: string): DocumentNode | undefined {
  try {
    return parseDocument(text);
  } catch (error) {
    if (error instanceof ServiceError || error instanceof RangeError) return undefined;
    throw error;
  }
}

/**
 * Returns the canonical form of an operation: without insignificant characters, comments and `__typename`, which client
 * libraries add. A text that cannot be parsed is returned unchanged.
 */
export function canonicalText(text: string): string {
  const known = canonical.get(text);
  if (known !== undefined) return known;
  const document = documentOf(text);
  const made = document === undefined ? text : stripIgnoredCharacters(print(withoutTypenames(document)));
  canonical.set(text, made, { size: text.length + made.length + 1 });
  return made;
}

function withoutTypenames(document: DocumentNode): DocumentNode {
  return visit(document, {
    SelectionSet: (node) => {
      const selections = node.selections.filter((one) => one.kind !== Kind.FIELD || one.name.value !== '__typename');
      // `__typename` as the only field is a selection of the client.
      return selections.length === 0 ? undefined : { ...node, selections };
    },
  });
}
