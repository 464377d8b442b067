/** Validates documents against the schema of a role. Every error has a path. */
import {
  type DocumentNode,
  ExecutableDefinitionsRule,
  FragmentsOnCompositeTypesRule,
  type GraphQLError,
  type GraphQLSchema,
  LoneAnonymousOperationRule,
  MaxIntrospectionDepthRule,
  PossibleFragmentSpreadsRule,
  UniqueArgumentNamesRule,
  UniqueInputFieldNamesRule,
  UniqueOperationNamesRule,
  type ValidationRule,
  VariablesAreInputTypesRule,
  validate,
} from 'graphql';
import { ServiceError } from '../../base/errors.ts';
import {
  acyclicFragments,
  declaredVariables,
  fittingSelections,
  knownDirectives,
  knownFragments,
} from './validation-names.ts';
import { pathFinder } from './validation-path.ts';
import { fittingLiterals, fittingVariables, knownArguments, knownFields, knownTypes } from './validation-rules.ts';

/**
 * Unused fragments and variables are allowed, as in Hasura v2. Fields that share a response key are compared when they
 * are collected, which is cheaper than the rule that compares all pairs.
 */
const rules: readonly ValidationRule[] = [
  ExecutableDefinitionsRule,
  UniqueOperationNamesRule,
  LoneAnonymousOperationRule,
  acyclicFragments,
  knownTypes,
  FragmentsOnCompositeTypesRule,
  VariablesAreInputTypesRule,
  fittingSelections,
  knownFields,
  knownFragments,
  PossibleFragmentSpreadsRule,
  declaredVariables,
  knownDirectives,
  knownArguments,
  UniqueArgumentNamesRule,
  fittingLiterals,
  fittingVariables,
  UniqueInputFieldNamesRule,
  MaxIntrospectionDepthRule,
];

/** All validation errors of a document. The error itself has the properties of the first. */
export class InvalidDocument extends ServiceError {
  /** At least one, in the order of the document. */
  readonly errors: readonly ServiceError[];

  constructor(first: ServiceError, others: readonly ServiceError[]) {
    super(first.code, first.message, { path: first.path, missingField: first.missingField, hint: first.hint });
    this.name = 'InvalidDocument';
    this.errors = [first, ...others];
  }
}

/** Maximum number of errors in one response. */
const MOST_ERRORS = 20;

/** Throws an InvalidDocument with all validation errors of an invalid document. */
export function validateDocument(schema: GraphQLSchema, document: DocumentNode): void {
  const found = validate(schema, document, rules, { maxErrors: MOST_ERRORS, hideSuggestions: true });
  if (found.length === 0) return;
  const pathOf = pathFinder(document);
  const [first, ...others] = found.map((error) => toServiceError(error, pathOf(error.nodes?.[0])));
  if (first !== undefined) throw new InvalidDocument(first, others);
}

function toServiceError(error: GraphQLError, path: string): ServiceError {
  const { originalError } = error;
  if (originalError instanceof ServiceError) return originalError.under(path);
  return new ServiceError('validation-failed', error.message, { path });
}
